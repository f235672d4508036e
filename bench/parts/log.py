"""The log on a real server: growth, cold loads, time travel, memory."""

from __future__ import annotations

import itertools
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import redis

from bench.measure import Row, Sample
from domain.game import Setup
from domain.play.record import Submission
from domain.registry import GAMES
from domain.terms import SYSTEM, Seat
from service.instance.embedded import EmbeddedServer
from service.projections.positions.cache import SNAPSHOT_EVERY, Positions
from service.projections.positions.facts import facts_of
from service.projections.positions.rows import public_part
from service.store.codec import encode_submission
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.keys import Keys
from service.store.redis.store import open_store
from service.store.seal import commitment
from workers.advance import Advance

LONG = 10_000
COLD = Row("loading a game of 2,000 commits cold", 3, "ms", at_least=False)
GROWTH = Row("cost of the 10,000th command, against the 100th", 1.2, "times", at_least=False)
TRAVEL = Row("?at= anywhere in a game of 10,000 commits", 60, "ms", at_least=False)
MEMORY = Row("memory in Redis for a commit", 400, "bytes", at_least=False)


class Tables:
    """Games of Battalia in a store, settled in this process."""

    def __init__(self, store) -> None:
        self.store = store
        self.positions = Positions(store)
        self.advance = Advance.in_process(store)
        self._numbers = itertools.count()

    def start(self, *holders: str, options=None) -> str:
        """A game that has begun."""
        rules = GAMES["battalia"]
        setup = rules.check(Setup(len(holders), "", options or {}))
        game, seed = f"bench-{next(self._numbers)}", secrets.token_bytes(32)
        chairs = tuple(Chair(holder) for holder in holders)
        now = self.store.log.now()
        lobby = Lobby(
            *(game, rules.key, holders[0], chairs, setup.ruleset, dict(setup.options), setup.modules),
            *({"mode": "free"}, "public", commitment(seed), now),
        )
        self.store.lobbies.create(lobby, seed)
        self.store.lobbies.start(game, holders[0], "begin")
        self.settle()
        return game

    def settle(self) -> None:
        while self.advance.round(range(self.store.partitions)):
            pass

    def end_turn(self, game: str) -> float:
        """Whoever is to move ends their turn; seconds from the submission to the end of all that follows."""
        facts = facts_of(self.store, game)
        position = self.positions.newest(facts)
        asked = position.asked[0]
        seat = asked.question.seat
        command = {"type": "end_turn"} if asked.question.kind == "turn" else None
        if command is None:
            seat, command = SYSTEM, {"type": "expire", "question": asked.id}
        submission = Submission(secrets.token_hex(12), Seat(seat), command, 0)
        begun = time.perf_counter()
        self.store.log.submit(game, encode_submission(submission), "digest")
        self.settle()
        return time.perf_counter() - begun

    def grow(self, game: str, commits: int) -> None:
        while self.store.log.head(game)[0] < commits:
            self.end_turn(game)


def measure() -> Iterator[Sample]:
    """Every row once."""
    with tempfile.TemporaryDirectory(prefix="ow-bench-") as folder:
        server = EmbeddedServer(Path(folder), fsync="always")
        server.start()
        try:
            yield from _measured(open_store(server.url), redis.Redis.from_url(server.url))
        finally:
            server.stop()


def _measured(store, client) -> Iterator[Sample]:
    tables = Tables(store)
    game = tables.start("ada", "bob", "cy", "di")
    _grow(tables, client, game, 100)
    young = statistics.median(tables.end_turn(game) for _ in range(60))
    _grow(tables, client, game, 2000)
    while store.log.head(game)[0] % SNAPSHOT_EVERY < SNAPSHOT_EVERY - 2:
        tables.end_turn(game)  # until just before a snapshot, when there is most to fold
    facts = facts_of(store, game)
    cold = statistics.median(_timed(lambda: Positions(store).newest(facts)) for _ in range(15))
    behind = store.log.head(game)[0] % SNAPSHOT_EVERY
    yield COLD.got(1000 * cold, f"{behind} commits after a snapshot")
    _grow(tables, client, game, LONG)
    old = statistics.median(tables.end_turn(game) for _ in range(60))
    yield GROWTH.got(old / young, f"{1000 * old:.2f} ms against {1000 * young:.2f} ms")
    seqs = [1 + number * 997 % LONG for number in range(40)]
    travel = [_timed(lambda seq=seq: public_part(facts.rules, Positions(store).at(facts, seq))) for seq in seqs]
    yield TRAVEL.got(1000 * max(travel), f"median {1000 * statistics.median(travel):.1f} ms, worst of 40")
    yield _memory(tables, client)


def _grow(tables: Tables, client, game: str, commits: int) -> None:
    """Play on to so many commits, which the disk need not have before they are answered."""
    client.config_set("appendfsync", "no")
    tables.grow(game, commits)
    client.config_set("appendfsync", "always")


def _timed(work) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _memory(tables: Tables, client) -> Sample:
    """Bytes of commits and ids over whole games of random bots."""
    used = commits = 0
    for seats in (2, 3, 4):
        game = tables.start(*["bot:random"] * seats)
        tables.settle()
        while tables.store.lobbies.get(game).status != "over":
            tables.settle()
        keys = Keys(tables.store.partitions).game(game)
        used += sum(client.memory_usage(key, samples=0) or 0 for key in (keys.commits, keys.commands, keys.ids))
        commits += tables.store.log.head(game)[0]
    return MEMORY.got(used / commits, f"{commits:,} commits of 3 whole games")
