"""Search workers, pumps and the store are killed at random while bots with search play complete games: every question
is answered once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter

import pytest
from redis.exceptions import RedisError

from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from service.audit.auditor import audit
from service.core.queue import Queue
from service.core.queue.compute import COMPUTE, ComputeQueue
from service.ops.instance.embedded import EmbeddedServer
from service.store.ports.errors import StoreDown
from service.store.redis.store import open_store
from tests.workers.crew import Crew, eventually
from tests.workers.test_advance import bodies
from tests.workers.test_archive import exported
from tests.workers.test_choosing import starting

TABLES = (
    *[("nim", ("bot:search:1", "bot:search:2"), {})] * 4,
    *[("battalia", ("bot:search:1", "bot:search:2"), {"max_weeks": 2})] * 3,
)
THINK = {
    "ORACLEWHEEL_SEARCH_1_SIMULATIONS": "60",
    "ORACLEWHEEL_SEARCH_2_SIMULATIONS": "120",
    "ORACLEWHEEL_SEARCH_SECONDS": "60",
}


class Watched:
    """The processes of each role, which are killed and replaced."""

    def __init__(self, crew, server):
        self.crew, self.server = crew, server
        self.roles = {crew.start(role): role for role in ("settle", "settle", COMPUTE, COMPUTE)}

    def kill(self, role):
        if role == "store":
            os.kill(self.server.pid, signal.SIGKILL)
            return
        victim = next(process for process, its in self.roles.items() if its == role)
        self.crew.kill(victim)
        del self.roles[victim]
        self.roles[self.crew.start(role)] = role

    def revive(self):
        """Replace every process that died with the store."""
        if self.crew.cron.poll() is not None:
            self.crew.kill_cron()
        for process in [process for process in self.roles if process.poll() is not None]:
            self.crew.forget(process)
            role = self.roles.pop(process)
            self.roles[self.crew.start(role)] = role


def over(store, games):
    try:
        return sum(store.lobbies.get(game).status == "over" for game in games)
    except StoreDown:
        return -1


def thoughts(store, games):
    """The number of computed moves in the logs."""
    try:
        return sum(b'"choice"' in stored.body for game in games for stored in store.log.commits(game))
    except StoreDown:
        return 0


def moved(store, games, before):
    return over(store, games) == len(games) or thoughts(store, games) > before


def living(queue):
    try:
        return queue.workers()
    except RedisError:
        return 0


def who_answered(act):
    if act["events"][0]["type"] == "stand_in_answered":
        return "stand-in"
    return "thinker" if "choice" in act["submission"]["command"] else "greedy"


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2])
def test_games_of_bots_with_search_end_and_pass_the_audit_despite_kills(tmp_path, seed):
    assert GAMES["nim"].rules.check(Setup(2, "", {}))
    server = EmbeddedServer(tmp_path / "data", fsync="always")
    url = server.start()
    crew, store = Crew(url, tmp_path, 2, **THINK), open_store(url)
    chance, killed, begun = random.Random(seed), Counter(), time.monotonic()
    try:
        watched = Watched(crew, server)
        queue = ComputeQueue(Queue(crew.queue_url).connection)
        eventually(lambda: living(queue), every=0.5)
        games = [starting(store)(kind, *holders, **options) for kind, holders, options in TABLES]
        while over(store, games) < len(games):
            assert time.monotonic() - begun < 1500, "games do not go on"
            # On a slow machine a new process needs time to start, otherwise no move would ever be computed.
            before = thoughts(store, games)
            eventually(lambda before=before: watched.revive() or moved(store, games, before), seconds=180, every=1)
            time.sleep(chance.uniform(0, 2))
            role = chance.choice([COMPUTE, COMPUTE, COMPUTE, "settle", "store"])
            watched.kill(role)
            killed[role] += 1
            eventually(lambda: over(store, games) >= 0, every=0.2)
            watched.revive()
        came = Counter()
        for game in games:
            told = bodies(store, game)
            ids = [body["submission"]["id"] for body in told]
            assert len(ids) == len(set(ids)), "nothing doubled"
            assert {"already-answered"} >= {body["refusal"]["code"] for body in told if "refusal" in body}
            acts = [body for body in told if body["submission"]["command"]["type"] == "act" and "events" in body]
            came.update(map(who_answered, acts))
            verdict = audit(exported(store, game))
            assert verdict.is_ok, (game, verdict.verdict)
        print(f"seed {seed}: killed {dict(killed)} in {time.monotonic() - begun:.0f} s, answers {dict(came)}")
        assert killed[COMPUTE]
        assert came["thinker"] >= sum(killed.values()) > 3
    finally:
        crew.end()
        store.close()
        server.stop()
