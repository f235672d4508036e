"""The child processes of `serve`: when they start work, and how a reload replaces them."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import pytest
import requests

from service.ops.processes.supervisor import Program
from service.ops.serving import processes as serving
from service.ops.serving.processes import Processes
from service.ops.settings import Settings
from tests.workers.crew import ROOT, eventually
from tests.workers.test_serve import CLEAN, Instance, Player, alive

CHILD = (
    "import os, signal, sys\n"
    "from service.ops.processes.child_process import await_start\n"
    "await_start()\n"
    "open(sys.argv[1], 'a').write(f'{os.getpid()}\\n')\n"
    "signal.pause()\n"
)

SLOW = (
    "ports = [int(os.environ['ORACLEWHEEL_LISTENER'])]\n"
    "signal.signal(signal.SIGTERM, lambda *_: ports and os.close(ports.pop()))\n"
    "while True: signal.pause()"
)
"""A process that closes its port at the first SIGTERM and keeps running."""


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """The file in which started processes write their ids; they represent the API."""
    monkeypatch.setattr(serving, "SERVER", (sys.executable, "-c", CHILD, str(tmp_path / "begun")))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "begun").touch()
    return tmp_path / "begun"


@pytest.fixture
def processes(begun, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Processes(Settings(), ("api",), listener, str(tmp_path))
        yield made
        made.stop()


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def pids(begun):
    return [int(line) for line in begun.read_text().split()]


def looked_after(processes, done):
    until = time.monotonic() + 60
    while not done():
        assert time.monotonic() < until
        processes.look_after()
        time.sleep(0.01)


def test_program_reports_ready_and_waits_until_it_may_begin(begun):
    program = Program([sys.executable, "-c", CHILD, str(begun)], os.environ)
    try:
        eventually(program.is_ready)
        time.sleep(0.05)
        assert not pids(begun)
        program.begin()
        eventually(lambda: pids(begun) == [program.pid])
    finally:
        program.kill()
        program.wait()


def test_program_ends_if_its_parent_ends_before_it_began(begun):
    program = Program([sys.executable, "-c", CHILD, str(begun)], os.environ)
    eventually(program.is_ready)
    program._channel.close()
    assert program.wait(20) == 0
    assert not pids(begun)


def test_process_that_ends_is_started_again_and_begins(processes, begun):
    processes.start()
    processes.begin()
    eventually(lambda: len(pids(begun)) == 1)
    os.kill(pids(begun)[0], signal.SIGKILL)
    looked_after(processes, lambda: len(pids(begun)) == 2)


def test_reload_replaces_a_process_only_when_the_new_one_is_ready(processes, begun):
    processes.start()
    processes.begin()
    eventually(lambda: len(pids(begun)) == 1)
    processes.reload()
    assert len(alive(pids(begun))) == 1
    looked_after(processes, lambda: len(pids(begun)) == 2)
    old, new = pids(begun)
    assert alive([old, new]) == [new]


def test_port_is_closed_as_soon_as_the_processes_are_asked_to_stop(begun, tmp_path, monkeypatch):
    monkeypatch.setattr(serving, "SERVER", (sys.executable, "-c", CHILD.replace("signal.pause()", SLOW), str(begun)))
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    processes = Processes(Settings(), ("api",), listener, str(tmp_path))
    processes.start()
    processes.begin()
    eventually(lambda: len(pids(begun)) == 1)
    stopping = threading.Thread(target=processes.stop)
    stopping.start()
    eventually(lambda: not listens(port))
    assert alive(pids(begun))
    os.kill(pids(begun)[0], signal.SIGKILL)
    stopping.join()


def test_reload_keeps_the_processes_if_a_new_one_cannot_start(processes, begun, monkeypatch, capfd):
    processes.start()
    processes.begin()
    eventually(lambda: len(pids(begun)) == 1)
    monkeypatch.setattr(serving, "SERVER", (sys.executable, "-c", "raise SystemExit(1)"))
    processes.reload()
    looked_after(processes, lambda: processes._next is None)
    assert alive(pids(begun)) == pids(begun)


def test_reload_keeps_the_processes_if_a_setting_is_bad(processes, begun, monkeypatch):
    processes.start()
    processes.begin()
    eventually(lambda: len(pids(begun)) == 1)
    monkeypatch.setenv("ORACLEWHEEL_API_WORKERS", "many")
    processes.reload()
    processes.look_after()
    assert alive(pids(begun)) == pids(begun)


@pytest.mark.soak
@pytest.mark.parametrize("times", range(5))
def test_parent_of_workers_ends_however_often_it_is_asked_to(times, tmp_path):
    environ = {**CLEAN, "PYTHONPATH": str(ROOT), "ORACLEWHEEL_REDIS_URL": "redis://127.0.0.1:1"}
    parent = Program([sys.executable, "-m", "workers.parent"], environ)
    try:
        parent.begin()
        eventually(parent.is_ready)
        status = Path(f"/proc/{parent.pid}/status")
        eventually(lambda: int(re.search(r"SigCgt:\s*(\S+)", status.read_text())[1], 16) >> signal.SIGTERM - 1 & 1)
        for _ in range(500):  # `serve` and the kernel may both ask
            parent.terminate()
        assert parent.wait(20) == 0
    finally:
        parent.kill()


@pytest.mark.soak
def test_reload_replaces_all_processes_while_clients_get_answers(tmp_path):
    instance = Instance(tmp_path / "one", ORACLEWHEEL_LOG_LEVEL="info").start()
    longest, failures, stop = 0.0, [], threading.Event()

    def ask():
        nonlocal longest
        answered = time.monotonic()
        while not stop.wait(0.05):
            try:
                requests.get(f"{instance.url}/v1/kinds", timeout=20).raise_for_status()
            except requests.RequestException as error:
                failures.append(error)
            longest, answered = max(longest, time.monotonic() - answered), time.monotonic()

    try:
        ada = Player(instance.url, "Ada")
        game = ada.new_game()
        servers = {int((instance.folder / "data" / f"{name}.pid").read_text()) for name in ("server", "queue")}
        before = set(instance.children())
        (instance.folder / ".env").write_text("ORACLEWHEEL_SETTLE_WORKERS=1\n")
        client = threading.Thread(target=ask)
        client.start()
        instance.process.send_signal(signal.SIGHUP)
        eventually(lambda: '"event": "reloaded"' in instance.told(), seconds=120)
        assert 200 == ada.end_turn(game).status_code
        stop.set()
        client.join()
        eventually(lambda: not alive(before), seconds=30)
        assert set(alive(servers)) == servers
        titles = [Path(f"/proc/{pid}/cmdline").read_text() for pid in instance.children()]
        assert 1 == sum("settle-0" in title or "settle:0" in title for title in titles)
        assert not any("settle:1" in title or "settle 1" in title for title in titles)
        assert not failures
        assert longest < 5, "2 seconds on a quiet machine"
    finally:
        stop.set()
        instance.stop()
