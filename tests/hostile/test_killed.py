"""Whoever is killed is missed at once: what he held is freed, and somebody who stands by goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from service.cli.serving.children import Family
from service.cli.serving.warden import Warden
from service.process.child_process import PROCESS
from service.queue import Queue
from service.settings import Settings
from service.store.redis.store import open_store
from tests.store.pump import claim_games, command, started, submit
from tests.workers.crew import ROOT, eventually
from tests.workers.test_serve import CLEAN, Instance, Player, alive, instance

__all__ = ["instance"]


def test_what_a_dead_process_held_is_free_at_once(redis_store, redis_url, monkeypatch):
    settings = Settings(redis_url=redis_url, queue_url=f"{redis_url}?db=1", pumps=2)
    monkeypatch.setenv(PROCESS, "pump-dead")
    dead, queue = open_store(redis_url), Queue(settings.queue)
    queue.connection.flushdb()
    games = [started(redis_store) for _ in range(3)]
    for game in games:
        submit(redis_store, game, command("s1", 1, pennies=1))
    monkeypatch.setenv(PROCESS, "pump-alive")
    alive = open_store(redis_url)
    partition = redis_store.log.partition(games[0])
    kept = claim_games(alive, [partition], 1, 60_000)
    lost = claim_games(dead, range(64), 10, 60_000)
    assert sorted(games) == sorted([*kept, *lost])
    assert dead.log.lock("sweeper", 60_000)
    assert queue.hold(0, "pump-dead-1")
    assert queue.hold(1, "pump-alive-1")
    assert queue.enqueue_pump(0, 2)

    Warden(settings).free("pump-dead")

    again = [game for _ in lost for game in claim_games(redis_store, range(64), 10, 60_000)]
    assert sorted(lost) == sorted(again)
    assert {2} == {redis_store.log.work([game])[0].claims for game in lost}, "it may have died of one of them"
    assert redis_store.log.lock("sweeper", 60_000)
    assert {1} == queue.living(2)
    assert 2 == queue.waiting()["pump"], "another was asked for, though one was a moment ago"
    assert queue.woken(range(16))
    dead.close()
    alive.close()


def test_of_a_lapsed_lease_nothing_is_given_back_that_somebody_else_has(redis_store, server):
    game = started(redis_store)
    submit(redis_store, game, command("s1", 1, pennies=1))
    slow = open_store(server.url)
    assert [game] == claim_games(slow, range(64), 10, 1)
    eventually(lambda: redis_store.log.sweep(redis_store.log.partition(game)))
    assert [game] == claim_games(redis_store, range(64), 10, 60_000)

    assert not slow.log.release(game)
    assert {"ready": 0, "claimed": 1} == {name: slow.log.census()[name] for name in ("ready", "claimed")}
    slow.close()


def test_who_stands_by_takes_the_place_of_who_died(tmp_path):
    script = tmp_path / "child.py"
    script.write_text(
        "import os, sys, time\n"
        "spare = '--spare' in sys.argv\n"
        f"open({str(tmp_path)!r} + f'/{{os.getpid()}}', 'w').write(os.environ['{PROCESS}'])\n"
        "if spare and not sys.stdin.readline(): sys.exit(0)\n"
        f"open({str(tmp_path)!r} + f'/{{os.getpid()}}.works', 'w').close()\n"
        "time.sleep(60)\n"
    )
    told = []
    family = Family(dict(os.environ), told.append)
    family.add("pump", [sys.executable, str(script)], 1, spares=1)
    begun = []

    def both():
        return [child.process and (tmp_path / str(child.process.pid)).exists() for child in family.children]

    def stopped(seconds):
        time.sleep(seconds)
        if not begun and all(both()):
            worker, spare = family.children
            begun.append((worker.process.pid, worker.known_as, spare.process.pid))
            os.kill(worker.process.pid, signal.SIGKILL)
        return bool(begun) and (tmp_path / f"{begun[0][2]}.works").exists()

    family.watch(stopped)
    (_, known_as, spare), worker = begun[0], family.children[0]
    assert [known_as] == told
    assert spare == worker.process.pid
    assert worker.known_as == (tmp_path / str(spare)).read_text()
    family.stop("none")


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return []


def test_after_all_pumps_or_the_server_are_killed_settling_comes_back_within_seconds(instance: Instance):
    """Three and five seconds on a machine that is not busy (docs/decisions/0005-workers.md); here only that it does."""
    instance.start()
    ada = Player(instance.url, "Ada")
    game = ada.new_game()
    assert ada.end_turn(game).status_code in (200, 409)

    def settled_within(seconds):
        begun = time.monotonic()
        eventually(lambda: ada.post(f"games/{game}/commands", wait=5, type="end_turn").status_code in (200, 409), 60)
        assert time.monotonic() - begun < seconds

    for pid in instance.children():
        if {"workers", "pump"} <= set(command_line(pid)):
            os.kill(pid, signal.SIGKILL)
    settled_within(30)
    os.kill(int((instance.folder / "data" / "server.pid").read_text()), signal.SIGKILL)
    settled_within(30)


def test_a_process_whose_parent_died_before_it_could_ask_to_end_with_them_ends(redis_url, tmp_path):
    """It takes a second until a process has loaded what it needs; a parent killed in that second would leave it behind for ever."""
    script = (
        "import os, sys\n"
        "from service.cli.serving.children import Child\n"
        "child = Child('side', [sys.executable, '-m', 'workers', 'side'])\n"
        "child.start(os.environ)\n"
        "print(child.process.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    environ = {**CLEAN, "PYTHONPATH": str(ROOT), "ORACLEWHEEL_REDIS_URL": redis_url, "ORACLEWHEEL_DATA": str(tmp_path)}
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT, env=environ, stdout=out, stderr=out)
    pid = int((tmp_path / "out").read_text().split()[0])
    try:
        eventually(lambda: not alive([pid]), seconds=60)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
