"""Killed processes are detected at once: their leases are released, and others continue."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from service.store.redis.store import open_store
from tests.store.pump import claim_games, command, started, submit
from tests.workers.crew import ROOT, eventually
from tests.workers.test_serve import CLEAN, Instance, Player, alive, instance

__all__ = ["instance"]


def test_expired_lease_releases_nothing_that_another_worker_has_claimed(redis_store, server):
    game = started(redis_store)
    submit(redis_store, game, command("s1", 1, pennies=1))
    slow = open_store(server.url)
    assert [game] == claim_games(slow, range(256), 10, 1)
    eventually(lambda: redis_store.schedule.sweep(redis_store.schedule.partition(game)))
    assert [game] == claim_games(redis_store, range(256), 10, 60_000)

    assert not slow.claims.release(game)
    assert {"ready": 0, "claimed": 1} == {name: slow.schedule.census()[name] for name in ("ready", "claimed")}
    slow.close()


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return []


@pytest.mark.soak
def test_settling_resumes_after_all_settle_workers_or_the_server_are_killed(instance: Instance):
    """The wait of 60 seconds allows for a busy machine; a quiet one needs three to five."""
    instance.start()
    ada = Player(instance.url, "Ada")
    game = ada.new_game()
    assert ada.end_turn(game).status_code in (200, 409)

    def settled_within(seconds):
        begun = time.monotonic()
        eventually(lambda: ada.post(f"games/{game}/commands", wait=5, type="end_turn").status_code in (200, 409), 60)
        assert time.monotonic() - begun < seconds

    for pid in instance.children():
        if any("settle" in word for word in command_line(pid)):
            os.kill(pid, signal.SIGKILL)
    settled_within(30)
    os.kill(int((instance.folder / "data" / "server.pid").read_text()), signal.SIGKILL)
    settled_within(30)


@pytest.mark.parametrize(
    "start", ["program(sys.executable, '-m', 'workers', 'side')", "fork('workers.__main__', 'side')"]
)
def test_child_ends_if_its_parent_died_while_the_child_was_loading(redis_url, tmp_path, start):
    """A process loads for about a second. A parent killed in that time must not leave it running."""
    script = (
        "import os, sys\n"
        "from service.ops.processes.supervisor import Child, fork, program\n"
        f"child = Child('side', {start})\n"
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


@pytest.mark.soak
def test_killed_api_worker_is_restarted(instance: Instance):
    instance.start()
    master = next(pid for pid in instance.children() if any("gunicorn: master" in word for word in command_line(pid)))

    def workers():
        return {int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split()}

    killed = workers()
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: len(workers() - killed) == len(killed), seconds=60)
    eventually(instance.ready, seconds=60)
    assert "Traceback" not in instance.told()
    assert "Warning" not in instance.told()
