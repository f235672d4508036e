"""An S3 server in a process of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time

import pytest
import requests

SAYS = {
    "AWS_ACCESS_KEY_ID": "someone",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@contextlib.contextmanager
def bucket(name="games"):
    """Yield a bucket's URL, the environment variables that locate it, and the process. Skips the test if moto is
    missing (`make soak` installs it)."""
    pytest.importorskip("moto")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **SAYS},
    )
    try:
        until = time.monotonic() + 120
        while True:
            with contextlib.suppress(requests.ConnectionError):
                requests.put(f"{where}/{name}", timeout=30).raise_for_status()
                break
            assert process.poll() is None and time.monotonic() < until, "the server did not come up"
            time.sleep(0.1)
        yield f"s3://{name}/here", {**SAYS, "AWS_ENDPOINT_URL": where}, process
    finally:
        process.kill()
        process.wait()
