"""The first page of the list of all games, short and long."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Row, Sample
from service.instance.embedded import EmbeddedServer
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.store import open_store

SHORT, LONG = 100, 100_000
FIRST = Row("first page of 100,000 games, against 100", 2, "times", at_least=False)


def measure() -> Iterator[Sample]:
    """The row once."""
    with tempfile.TemporaryDirectory(prefix="ow-bench-") as folder:
        server = EmbeddedServer(Path(folder), fsync="no")
        server.start()
        try:
            store = open_store(server.url)
            _fill(store, 0, SHORT)
            short = _page(store)
            _fill(store, SHORT, LONG)
            long = _page(store)
        finally:
            server.stop()
    yield FIRST.got(long / short, f"{1000 * long:.2f} ms against {1000 * short:.2f} ms")


def _fill(store, first: int, last: int) -> None:
    for number in range(first, last):
        lobby = Lobby(
            *(f"g{number:06d}", "battalia", "ada", (Chair("ada"), Chair()), "creation_v1", {}, (), {"mode": "free"}),
            *("public", "0" * 64, 1_700_000_000_000 + number),
        )
        store.lobbies.create(lobby, b"s" * 32)


def _page(store) -> float:
    times = []
    for _ in range(40):
        begun = time.perf_counter()
        page, _ = store.lobbies.page(kind="battalia")
        times.append(time.perf_counter() - begun)
        if len(page) != 50:
            raise RuntimeError("the first page is not full")
    return statistics.median(times)
