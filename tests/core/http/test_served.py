"""The API as it is served: gunicorn with gevent, a real store, and a separate worker."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.kernel.dice import Dice
from service.audit.auditor import audit
from service.ops.instance.embedded import EmbeddedServer
from service.ops.keys.signing import signer
from service.ops.server import app as server
from service.store.ports.errors import StoreDown
from tests.driver import Player, Remote, play_out
from workers.advance import Advance

ROOT = Path(__file__).parents[3]


@contextlib.contextmanager
def working(store):
    """Settle pending commands in a thread of this process."""
    advance, stop = Advance.in_process(store), threading.Event()

    def work():
        partitions = range(store.partitions)
        while not stop.is_set():
            try:
                idle = not advance.round(partitions)
            except StoreDown:
                idle = True
            if idle:
                stop.wait(0.005)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def free_port():
    """The number of a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def serving(url, folder, port=None, **settings):
    """Run one API process."""
    port = port or free_port()
    environ = {
        **os.environ,
        "ORACLEWHEEL_REDIS_URL": url,
        "ORACLEWHEEL_PORT": str(port),
        "ORACLEWHEEL_API_WORKERS": "1",
        "ORACLEWHEEL_DATA": str(folder),
        "ORACLEWHEEL_RATE_REQUESTS": "0",
        **{f"ORACLEWHEEL_{name}": value for name, value in settings.items()},
    }
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        "python:service.ops.server.config",
        "service.ops.server.app:create_app()",
    ]
    process = subprocess.Popen(command, cwd=ROOT, env=environ, process_group=0)
    remote = Remote(f"http://127.0.0.1:{port}")
    try:
        _until_ready(remote, process)
        yield remote
    finally:
        remote.close()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def site(redis_url, redis_store, tmp_path):
    (tmp_path / "signing.key").write_text("5a" * 32 + "\n")
    signer(tmp_path / "signing.key", redis_store.log)
    with working(redis_store), serving(redis_url, tmp_path) as remote:
        yield remote


def _until_ready(remote, process):
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            if Player(remote).get("/readyz").status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the API does not come up")


def test_a_starting_process_waits_for_an_unavailable_store(monkeypatch):
    away = [StoreDown("it is loading")] * 2

    def create():
        if away:
            raise away.pop()
        return "the API"

    monkeypatch.setattr(server, "create_app", create)
    assert "the API" == server.app()

    away.append(StoreDown("it stays away"))
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    with pytest.raises(StoreDown):
        server.app()


def test_a_whole_game_is_played_streamed_reviewed_and_forked(site):
    ash, birk = Player.register(site, "Ash"), Player.register(site, "Birk")
    game = ash.make_game("battalia", options={"max_weeks": 1})["id"]
    birk.join(game)
    seen = []

    def watch():
        with birk.stream(game) as messages:
            seen.extend(message.id for message in messages if message.id)

    watcher = threading.Thread(target=watch)
    watcher.start()
    ash.start(game)
    play_out([ash, birk], game, Dice(b"s" * 32))
    watcher.join(30)

    entries = birk.events(game)
    assert [entry["seq"] for entry in entries] == seen
    middle = entries[len(entries) // 2]["seq"]
    assert ash.view(game, at=middle)["public"]
    assert middle == ash.get(f"/v1/games/{game}/position", at=middle, want=200).json["seq"]
    assert ash.get(f"/v1/games/{game}/export", want=200).body.count(b"\n") > len(entries)
    made = birk.post(f"/v1/games/{game}/fork", {"seq": 1}, want=201).json
    birk.start(made["id"])
    (turn,) = [turn for turn in birk.turns() if turn["game"] == made["id"]]
    option = birk.options(made["id"], seat=turn["seat"])["options"][0]
    assert option["type"]


@pytest.mark.soak
def test_one_process_serves_many_streams_and_answers_requests(site):
    ash, birk = Player.register(site), Player.register(site)
    game = ash.make_game("battalia")["id"]
    birk.join(game)
    ash.start(game)
    first = threading.Barrier(41, timeout=30)
    heard = []

    def listen():
        with ash.stream(game) as messages:
            next(messages)
            first.wait()
            heard.append(next(messages).id)

    listeners = [threading.Thread(target=listen) for _ in range(40)]
    for listener in listeners:
        listener.start()
    first.wait()

    asked = ash.summary(game)["pending_questions"][0]["seat"]
    (ash, birk)[asked - 1].send(game, {"type": "resign"}, want=200)
    for listener in listeners:
        listener.join(20)

    assert 40 == len(heard)
    assert 1 == len(set(heard))


@pytest.mark.soak
def test_the_api_is_503_without_a_store_and_recovers():
    folder = Path(tempfile.mkdtemp(prefix="ow-"))
    server = EmbeddedServer(folder)
    server.start()
    try:
        with serving(server.url, folder) as site:
            ash = Player.register(site)
            server.stop()

            answer = ash.get("/v1/games")
            assert (503, "not-ready") == (answer.status, answer.code)
            assert int(answer.headers["Retry-After"]) >= 1
            until = time.monotonic() + 30
            while ash.get("/readyz").status != 503:  # readiness is cached for a second
                assert time.monotonic() < until
                time.sleep(0.1)
            assert 200 == ash.get("/healthz").status

            server = EmbeddedServer(folder)
            server.start()
            until = time.monotonic() + 30
            while ash.get("/readyz").status != 200:
                assert time.monotonic() < until
                time.sleep(0.1)
            assert ash.id == ash.get("/v1/me", want=200).json["id"]
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.soak
def test_exports_are_signed_and_pass_the_audit_while_the_game_runs_and_after(site):
    players = [Player.register(site, name) for name in ("Ada", "Bob")]
    made = players[0].make_game("battalia", 2, options={"max_weeks": 1})
    players[1].join(made["id"], made["invitation"])
    players[0].start(made["id"])
    running = players[0].get(f"/v1/games/{made['id']}/export", want=200)
    headers = [json.loads(line) for line in running.text.splitlines()]

    assert not any("body" in line or "salt" in line for line in headers), "headers only, for everybody"
    report = audit(running.body)
    assert report.is_ok, report.verdict

    play_out(players, made["id"], Dice(b"e" * 32))
    whole = Player(site).get(f"/v1/games/{made['id']}/export", want=200).body
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex("5a" * 32)).public_key().public_bytes_raw().hex()
    report = audit(whole, keys=[key])
    assert report.is_ok, report.verdict
    assert "authenticated" == report.verdict
