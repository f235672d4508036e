"""gevent patches the API process before other modules are loaded; otherwise they would keep blocking functions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import requests

from tests.core.http.patched import NEEDED
from tests.core.http.test_served import ROOT, free_port
from tests.workers.crew import eventually


def test_the_api_process_is_patched_before_other_modules_are_loaded(tmp_path):
    port = free_port()
    environ = {
        **os.environ,
        "ORACLEWHEEL_REDIS_URL": "redis://127.0.0.1:9",
        "ORACLEWHEEL_PORT": str(port),
        "ORACLEWHEEL_API_WORKERS": "1",
        "ORACLEWHEEL_DATA": str(tmp_path),
    }
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        "python:service.ops.server.config",
        "tests.core.http.patched:answer",
    ]
    with (tmp_path / "err").open("wb") as err:
        process = subprocess.Popen(command, cwd=ROOT, env=environ, stderr=err, process_group=0)
    try:
        eventually(lambda: _answer(port, process), seconds=60)
        told = _answer(port, process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    assert [*NEEDED] == told["patched"]
    assert told["kept"], "with gevent's poll, each use of a Redis connection costs a turn of the event loop"
    assert "gevent.ssl" == told["context"]
    assert not told["early"]
    assert "" == (tmp_path / "err").read_text()


def _answer(port, process):
    assert process.poll() is None
    try:
        return requests.get(f"http://127.0.0.1:{port}/", timeout=10).json()
    except requests.ConnectionError:
        return None
