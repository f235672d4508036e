"""The server is killed under load: everything that was acknowledged is there afterwards, exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import orjson
import pytest

from service.ops.instance.embedded import EmbeddedServer, answers
from service.store.ports.errors import StoreDown
from service.store.redis.store import open_store
from tests.store.pump import Worker, command, opened, outcome, position_of, pump, submit

PUT_OFF, NOTED = 2.5, 0.1
"""Seconds by which a server may delay its writes with `everysec`, and by which a reply may be recorded late."""


class Load:
    """Threads that submit to and settle their own games, and record what the store acknowledged."""

    def __init__(self, store, games) -> None:
        self.store = store
        self.ended = threading.Event()
        self.accepted: dict[str, dict[str, float]] = {game: {} for game in games}
        """When each submission was acknowledged."""
        self.appended: dict[str, dict[int, str]] = {game: {} for game in games}
        self.faults: list[BaseException] = []
        self.threads = [
            threading.Thread(target=self._run, args=(work, g)) for g in games for work in (self._play, self._settle)
        ]
        for thread in self.threads:
            thread.start()

    def end(self) -> None:
        self.ended.set()
        for thread in self.threads:
            thread.join()
        assert self.faults == []

    def _run(self, work, game):
        while not self.ended.is_set():
            try:
                work(game)
            except StoreDown:
                time.sleep(0.01)
            except BaseException as fault:
                self.faults.append(fault)
                raise

    def _play(self, game):
        number = len(self.accepted[game])
        receipt = submit(self.store, game, command(f"{game}-{number}", 1 + number % 2, pennies=1), refusals=10**6)
        if receipt.status in ("accepted", "known"):
            self.accepted[game][f"{game}-{number}"] = time.monotonic()
        else:
            assert receipt.status == "full", receipt
            time.sleep(0.005)

    def _settle(self, game):
        worker = Worker(self.store, game)
        while not self.ended.is_set():
            batch = worker.appends(8)
            if any(self.store.log.append(batch)):
                return
            self.appended[game] |= {append.sealed.seq: append.sealed.head for append in batch}
            if not batch:
                time.sleep(0.002)


def killed_under_load(kills, pause, fsync):
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        embedded = EmbeddedServer(Path(folder), fsync=fsync)
        store = open_store(embedded.start())
        games = [opened(store, "ann", "bob", options={"points": 100_000}).id for _ in range(3)]
        for game in games:
            store.lobbies.start(game, "ann", f"begin:{game}")
            pump(store, game)
        load = Load(store, games)
        killed = []
        for number in range(kills):
            time.sleep(pause)
            pid = embedded.pid
            os.kill(pid, signal.SIGKILL)
            killed.append(time.monotonic())
            until = time.monotonic() + 20
            while embedded.restarts <= number or not answers(embedded.socket):
                assert time.monotonic() < until
                time.sleep(0.005)
        time.sleep(pause)
        load.end()
        for game in games:
            pump(store, game)
            check(store, game, load, killed if fsync == "everysec" else ())
        count = sum(len(ids) for ids in load.accepted.values())
        store.close()
        embedded.stop()
        return count


def lost_with_a_kill(accepted, missing, killed):
    """The missing submissions that a kill within the delay explains: everything accepted after each of them is missing
    as well."""
    lost = set()
    for id_ in missing:
        kill = next((kill for kill in killed if accepted[id_] - NOTED <= kill <= accepted[id_] + PUT_OFF), None)
        if kill is not None and {other for other, at in accepted.items() if accepted[id_] < at < kill} <= missing:
            lost.add(id_)
    return lost


def check(store, game, load, killed=()):
    """Every acknowledged commit and submission is in the log, and each submission has one commit.

    With `everysec` (`killed` lists the times of the kills), writes that were delayed by a busy disk may be missing.
    """
    commits = list(store.log.commits(game))
    heads = {commit.seq: commit.head for commit in commits}
    assert load.appended[game].items() <= heads.items()
    settled = [orjson.loads(commit.body)["submission"]["id"] for commit in commits]
    assert len(settled) == len(set(settled))
    accepted = load.accepted[game]
    missing = accepted.keys() - set(settled)
    assert missing <= lost_with_a_kill(accepted, missing, killed)
    for id_ in accepted.keys() - missing:
        assert settled[outcome(store, game, id_) - 1] == id_
    position = position_of(store, game)
    assert (position.seq, position.head) == store.log.head(game)
    assert store.views.rows(game).seq == position.seq


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_when_the_server_is_killed():
    assert killed_under_load(kills=2, pause=0.4, fsync="always") > 20


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("fsync", ["always", "everysec"])
def test_40_kills_of_the_server_lose_only_what_the_fsync_policy_allows(fsync):
    assert killed_under_load(kills=40, pause=0.7, fsync=fsync) > 1000


def runs(pid):
    """Whether a process exists and is not a zombie."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return told.strip() != "" and not told.startswith("Z")


LAUNCHER = """
import sys, time
from pathlib import Path
from service.ops.instance import embedded
if sys.argv[2] == "mortal off":
    embedded.end_with_parent = None
server = embedded.EmbeddedServer(Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
time.sleep(60)
"""


def launch_and_kill(folder, how):
    """The process id of a server whose launcher has been killed."""
    launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER, folder, how], stdout=subprocess.PIPE, text=True)
    pid = int(launcher.stdout.readline())
    assert runs(pid)
    launcher.kill()
    launcher.wait()
    return pid


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends it with its launcher")
def test_server_ends_when_its_launcher_is_killed():
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        pid = launch_and_kill(folder, "as it is")
        until = time.monotonic() + 10
        while runs(pid):
            assert time.monotonic() < until
            time.sleep(0.02)


@pytest.mark.soak
def test_server_left_behind_by_a_killed_launcher_is_replaced():
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        left_over = launch_and_kill(folder, "mortal off")
        assert runs(left_over)

        with EmbeddedServer(Path(folder)) as embedded:
            assert embedded.pid != left_over
            assert answers(embedded.socket)
            assert not runs(left_over)


def test_kill_explains_only_the_loss_of_the_newest_submissions():
    accepted = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 9.0}

    assert {"b", "c"} == lost_with_a_kill(accepted, {"b", "c"}, [3.5])
    assert set() == lost_with_a_kill(accepted, {"b"}, [3.5])
    assert set() == lost_with_a_kill(accepted, {"a", "b", "c"} - {"b", "c"}, [3.5])
    assert {"c"} == lost_with_a_kill(accepted, {"c", "d"}, [3.5])
    assert set() == lost_with_a_kill(accepted, {"c"}, [])
