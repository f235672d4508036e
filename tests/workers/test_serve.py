"""`oraclewheel serve` as a whole: it responds, restarts its processes, stops cleanly, and loses nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from service.ops.instance.server_binary import BINARY_SETTING
from service.ops.settings import PREFIX
from tests.workers.crew import ROOT, eventually


def clean(environ):
    """An environment without settings of the service, except the server program of the test run."""
    kept = {BINARY_SETTING: environ[BINARY_SETTING]} if BINARY_SETTING in environ else {}
    return {name: text for name, text in environ.items() if not name.startswith(PREFIX) and name != "DEMO"} | kept


CLEAN = clean(os.environ)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Instance:
    """A running service with its own port and data folder."""

    patience = 300
    """Seconds allowed for the start."""

    program = (sys.executable, "-c", "from service.cli import main; main()")
    """The command that is called with `serve`."""

    def __init__(self, folder, **environ):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environ = {
            **CLEAN,
            "ORACLEWHEEL_PORT": str(self.port),
            "ORACLEWHEEL_DATA": str(folder / "data"),
            "ORACLEWHEEL_API_WORKERS": "1",
            "ORACLEWHEEL_SEARCH_WORKERS": "0",
            "PYTHONPATH": str(ROOT),
            **environ,
        }
        self.process = None

    def start(self, *arguments):
        self.out = (self.folder / "out").open("ab")
        command = [*self.program, "serve", *arguments]
        nothing, files = subprocess.DEVNULL, {"stdout": self.out, "stderr": self.out}
        self.process = subprocess.Popen(command, cwd=self.folder, env=self.environ, stdin=nothing, **files)
        eventually(self.ready, seconds=self.patience, every=0.2)
        return self

    def ready(self):
        assert self.process.poll() is None, self.told()
        try:
            return requests.get(f"{self.url}/readyz", timeout=2).status_code == 200
        except requests.RequestException:
            return False

    def told(self):
        return (self.folder / "out").read_text()

    def children(self):
        """The pids of all descendant processes."""
        found, look = [], [self.process.pid]
        while look:
            parent = look.pop()
            listed = Path(f"/proc/{parent}/task/{parent}/children")
            below = [int(pid) for pid in listed.read_text().split()] if listed.exists() else []
            found += below
            look += below
        return found

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(40)
        self.out.close()
        return status


@pytest.fixture
def instance(tmp_path):
    instance = Instance(tmp_path / "one")
    yield instance
    if instance.process is not None and instance.process.poll() is None:
        instance.stop()


def alive(pids):
    return [pid for pid in pids if Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes()]


class Player:
    def __init__(self, url, name):
        self.url = url
        self.session = requests.Session()
        self.session.headers["Authorization"] = "Bearer " + self.post("players", name=name).json()["token"]

    def post(self, path, wait=None, **body):
        headers = {"Prefer": f"wait={wait}"} if wait else {}
        return self.session.post(f"{self.url}/v1/{path}", json=body, headers=headers, timeout=30)

    def get(self, path):
        return self.session.get(f"{self.url}/v1/{path}", timeout=30).json()

    def new_game(self):
        game = self.post("games", kind="battalia", seats=2, visibility="public").json()["id"]
        assert 201 == self.post(f"games/{game}/seats", bot="greedy").status_code
        assert self.post(f"games/{game}/start").status_code in (200, 202)
        eventually(lambda: self.get(f"games/{game}")["seq"] > 0)
        return game

    def end_turn(self, game):
        """End the turn as soon as it is the player's."""
        eventually(lambda: any(asked["seat"] == 1 for asked in self.get(f"games/{game}")["pending_questions"]))
        return self.post(f"games/{game}/commands", wait=10, type="end_turn")


def test_services_get_the_server_of_the_test_run_and_no_other_setting():
    given = {"PATH": "/bin", BINARY_SETTING: "/opt/redis-server", "ORACLEWHEEL_PORT": "1", "DEMO": "1"}

    assert {"PATH": "/bin", BINARY_SETTING: "/opt/redis-server"} == clean(given)
    assert {"PATH": "/bin"} == clean({"PATH": "/bin", "ORACLEWHEEL_DATA": "/srv/games"})


@pytest.mark.soak
def test_commands_are_settled_after_every_process_was_killed(instance):
    instance.start()
    assert (
        f"Oracle Wheel is running at {instance.url}" in instance.told()
        or eventually(lambda: "is running at" in instance.told()) is None
    )
    ada = Player(instance.url, "Ada")
    game = ada.new_game()
    answered = ada.end_turn(game)
    assert (200, "settled") == (answered.status_code, answered.json()["status"])

    for pid in instance.children():
        os.kill(pid, signal.SIGKILL)
    eventually(instance.ready, seconds=60, every=0.2)
    assert answered.json()["seq"] <= ada.get(f"games/{game}")["seq"]
    assert 200 == ada.end_turn(game).status_code

    children = instance.children()
    assert len(children) >= 6
    os.kill(instance.process.pid, signal.SIGKILL)
    instance.process.wait()
    eventually(lambda: len(alive(children)) <= 1, seconds=20)
    instance.start()
    assert 200 == ada.end_turn(game).status_code

    children, before = instance.children(), len(instance.told())
    assert 0 == instance.stop()
    eventually(lambda: not alive(children), seconds=5)  # the process that others were forked from ends after them
    assert "Traceback" not in instance.told()[before:]


@pytest.mark.soak
def test_idle_keep_alive_connection_does_not_delay_a_stop(instance):
    instance.start()
    with socket.create_connection(("127.0.0.1", instance.port), timeout=8) as kept:
        eventually(lambda: "is running at" in instance.told())
        kept.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = kept.recv(65536)
        instance.process.send_signal(signal.SIGTERM)
        while more := kept.recv(65536):
            answer += more  # closed within the timeout of 8 seconds; a running request gets 10
        assert answer.startswith(b"HTTP/1.1 200")
        assert instance.stop() == 0
    greeting = f"Oracle Wheel is running at {instance.url} (data in {instance.folder / 'data'}). API documentation: {instance.url}/docs."
    assert ["Starting …", f"{greeting} Press Ctrl-C to stop.", "Stopping …"] == instance.told().splitlines()


@pytest.mark.soak
def test_instances_run_side_by_side_and_a_demo_game_is_played(instance, tmp_path):
    instance.start()
    other = Instance(tmp_path / "other", DEMO="1", ORACLEWHEEL_SETTLE_WORKERS="1", ORACLEWHEEL_SIDE_WORKERS="0").start()
    try:
        assert not requests.get(f"{instance.url}/v1/games", timeout=5).json()["games"]
        eventually(lambda: "Demo game between bots: " in other.told())
        game = requests.get(f"{other.url}/v1/games", timeout=5).json()["games"][0]["id"]
        assert f"{other.url}/v1/games/{game}/view" in other.told()
        eventually(lambda: requests.get(f"{other.url}/v1/games/{game}", timeout=5).json()["seq"] > 1)
    finally:
        assert 0 == other.stop()


@pytest.mark.soak
def test_roles_run_separately_on_one_redis(instance, redis_url, tmp_path):
    instance.environ["ORACLEWHEEL_REDIS_URL"] = redis_url
    instance.start("--only", "api")
    assert not (instance.folder / "data" / "redis.sock").exists()
    worker = Instance(tmp_path / "worker", ORACLEWHEEL_REDIS_URL=redis_url)
    worker.ready = lambda: True
    worker.start("--only", "worker")
    try:
        ada = Player(instance.url, "Ada")
        assert 200 == ada.end_turn(ada.new_game()).status_code
    finally:
        assert 0 == worker.stop()


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"ORACLEWHEEL_PORT": "many"}, "ORACLEWHEEL_PORT must be an integer"),
        ({"ORACLEWHEEL_HOST": "203.0.113.1"}, "cannot listen on 203.0.113.1:"),
        ({"ORACLEWHEEL_REDIS_SERVER": "/bin/true"}, "not a Redis-compatible server"),
    ],
)
def test_setting_that_cannot_work_is_reported_without_a_traceback(instance, environ, sentence):
    command = [sys.executable, "-c", "from service.cli import main; main()", "serve"]
    told = subprocess.run(
        command,
        check=False,
        cwd=instance.folder,
        env={**instance.environ, **environ},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert 1 == told.returncode
    assert sentence in told.stderr
    assert "Traceback" not in told.stderr
