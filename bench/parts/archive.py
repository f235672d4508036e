"""Archived games: their remaining memory in Redis, and the cost of the first read."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.load.whole import finished
from bench.measure import Row, Sample
from domain.registry import GAMES
from service.audit.auditor import audit
from service.cli.commands.imports import imported
from service.features.archive.mover import move
from service.ops.instance.embedded import EmbeddedServer
from service.store.redis.store import Store, open_store

PLAYED, LISTED = 4, 20
STAYS = Row("memory in Redis for a public game in the archive, its places in lists too", 500, "bytes", at_least=False)
ROW = Row("of this the row of the index", 300, "bytes", at_least=False)
OBJECT = Row("an object, against its export", 0.5, "times", at_least=False)
FIRST = Row("the first look at a game in the archive (a folder)", 100, "ms", at_least=False)
AGAIN = Row("the same once more, against a game that was never there", 1.5, "times", at_least=False)
PAGE = Row("a page of 20 games in the archive, the first time", 500, "ms", at_least=False)


def measure() -> Iterator[Sample]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ow-archive-")))
        server = stack.enter_context(EmbeddedServer(folder / "data", fsync="no"))
        store = stack.enter_context(contextlib.closing(open_store(server.url, archive=f"file://{folder}/archive")))
        here = _brought(store, range(PLAYED))
        there = _brought(store, range(PLAYED, PLAYED + LISTED))
        before, sizes = _memory(store, here), []
        for game in there:
            moved = move(store, game)
            if moved.word != "moved":
                raise RuntimeError(moved.word)
            sizes.append(moved.after / moved.before)
            store.archive.forget(game)
        row, lists = _used(store, "*}archive") / LISTED, _used(store, "*}games:*") / (LISTED + PLAYED)
        yield STAYS.got(row + lists, f"{before:,.0f} bytes in its keys while it is in Redis")
        yield ROW.got(row)
        yield OBJECT.got(statistics.median(sizes), f"of {LISTED} games of Battalia")
        fresh = stack.enter_context(contextlib.closing(open_store(server.url, archive=f"file://{folder}/archive")))
        yield PAGE.got(1000 * _seconds(lambda: fresh.lobbies.page(status="over")))
        first = statistics.median(_seconds(lambda game=game: _looked(store, game)) for game in there)
        again = statistics.median(_seconds(lambda game=game: _looked(store, game)) for game in there)
        never = statistics.median(_seconds(lambda game=game: _looked(store, game)) for game in here)
        yield FIRST.got(1000 * first, f"{1000 * again:.2f} ms once more")
        yield AGAIN.got(again / never, f"{1000 * again:.2f} ms against {1000 * never:.2f} ms")


def _brought(store: Store, numbers: range) -> list[str]:
    games = []
    for number in numbers:
        data = finished(GAMES["battalia"], number).export()
        report = audit(data)
        for _ in imported(store, data, report):
            pass
        games.append(report.facts["game"])
    return games


def _looked(store: Store, game: str) -> None:
    if store.lobbies.get(game) is None or not list(store.log.commits(game)):
        raise RuntimeError("there is no such game")


def _memory(store: Store, games: list[str]) -> float:
    used = [
        store.wire.one("MEMORY", "USAGE", name, "SAMPLES", 0) or 0 for game in games for name in store.keys.whole(game)
    ]
    return sum(used) / len(games)


def _used(store: Store, pattern: str) -> int:
    return sum(store.wire.one("MEMORY", "USAGE", name, "SAMPLES", 0) for name in store.wire.one("KEYS", pattern))


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
