"""The log on a real server: growth, cold loads, time travel, memory."""

from __future__ import annotations

import itertools
import json
import secrets
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import redis

from bench.kept import kept
from bench.measure import Row, Sample
from domain.kernel.game.rules import Setup
from domain.kernel.record import Submission
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from service.core.positions.cache import SNAPSHOT_EVERY, Positions
from service.core.positions.game_config import load_game_config
from service.core.positions.rows import build_public
from service.ops.instance.embedded import EmbeddedServer
from service.store.codec import encode_submission
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.keys import Keys
from service.store.redis.store import open_store
from service.store.seal import commitment
from workers.advance import Advance

YOUNG, BEHIND, LONG = 100, 2_000, 10_000
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
        """Start a game; returns its id."""
        rules = GAMES["battalia"]
        setup = rules.rules.check(Setup(len(holders), "", options or {}))
        game, seed = f"bench-{next(self._numbers)}", secrets.token_bytes(32)
        chairs = tuple(Chair(holder) for holder in holders)
        now = self.store.schedule.now()
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
        """End the current turn; returns seconds from the submission to the end of all consequences."""
        facts = load_game_config(self.store, game)
        position = self.positions.read_newest(facts)
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

    def whole(self, seats: int) -> str:
        """Play a game of random bots to its end; returns its id."""
        game = self.start(*["bot:random"] * seats)
        while self.store.lobbies.get(game).status != "over":
            self.settle()
        return game


def measure() -> Iterator[Sample]:
    """Every row once, on a copy of a store with games of all lengths."""
    made = kept("log", _grown)
    games = json.loads((made / "games.json").read_text())
    with tempfile.TemporaryDirectory(prefix="ow-bench-") as folder:
        data = Path(folder) / "data"
        shutil.copytree(made / "data", data)
        with EmbeddedServer(data, fsync="always") as server:
            store, client = open_store(server.url), redis.Redis.from_url(server.url)
            yield _cold(store, games["cold"])
            yield _growth(Tables(store), games["young"], games["old"])
            yield _travel(store, games["old"])
            yield _memory(store, client, games["whole"])


def _grown(folder: Path) -> None:
    """Play the games in a store without fsync; writes the store and the ids of the games of each length into the folder."""
    with EmbeddedServer(folder / "data", fsync="no") as server:
        tables = Tables(open_store(server.url))
        young, cold, old = (tables.start("ada", "bob", "cy", "di") for _ in range(3))
        for game, commits in ((young, YOUNG), (cold, BEHIND), (old, LONG)):
            tables.grow(game, commits)
        while tables.store.log.head(cold)[0] % SNAPSHOT_EVERY < SNAPSHOT_EVERY - 2:
            tables.end_turn(cold)  # until just before a snapshot, when most commits must be folded
        whole = [tables.whole(seats) for seats in (2, 3, 4)]
    games = {"young": young, "cold": cold, "old": old, "whole": whole}
    (folder / "games.json").write_text(json.dumps(games), encoding="utf-8")


def _cold(store, game: str) -> Sample:
    facts = load_game_config(store, game)
    cold = statistics.median(_timed(lambda: Positions(store).read_newest(facts)) for _ in range(31))
    behind = store.log.head(game)[0] % SNAPSHOT_EVERY
    return COLD.got(1000 * cold, f"{behind} commits after a snapshot")


def _growth(tables: Tables, young: str, old: str) -> Sample:
    for game in (young, old):
        tables.end_turn(game)
    pairs = [(tables.end_turn(young), tables.end_turn(old)) for _ in range(60)]
    first, last = (statistics.median(each) for each in zip(*pairs, strict=True))
    return GROWTH.got(last / first, f"{1000 * last:.2f} ms against {1000 * first:.2f} ms")


def _travel(store, game: str) -> Sample:
    facts = load_game_config(store, game)
    seqs = [1 + number * 997 % LONG for number in range(40)]
    travel = [
        _timed(lambda seq=seq: build_public(facts.game.knowledge, Positions(store).read_at(facts, seq))) for seq in seqs
    ]
    return TRAVEL.got(1000 * max(travel), f"median {1000 * statistics.median(travel):.1f} ms, worst of 40")


def _timed(work) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _memory(store, client, games: list[str]) -> Sample:
    used = commits = 0
    for game in games:
        keys = Keys().game(game)
        used += sum(client.memory_usage(key, samples=0) or 0 for key in (keys.commits, keys.commands, keys.ids))
        commits += store.log.head(game)[0]
    return MEMORY.got(used / commits, f"{commits:,} commits of {len(games)} whole games")
