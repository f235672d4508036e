"""The first page of the list of all games, for a short and a long list."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.kept import kept
from bench.measure import Row, Sample
from service.ops.instance.embedded import EmbeddedServer
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.store import Store, open_store

SHORT, LONG = 100, 100_000
PAGES = 40
FIRST = Row("first page of 100,000 games, against 100", 2, "times", at_least=False)


def measure() -> Iterator[Sample]:
    """The row once, with alternating pages of both."""
    with contextlib.ExitStack() as stack:
        short, long = (stack.enter_context(_opened(kept(f"lists-{games}", _filled(games)))) for games in (SHORT, LONG))
        times = [(_page(short), _page(long)) for _ in range(PAGES)]
    first, second = (statistics.median(each) for each in zip(*times, strict=True))
    yield FIRST.got(second / first, f"{1000 * second:.2f} ms against {1000 * first:.2f} ms")


def _filled(games: int) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        server = EmbeddedServer(folder, fsync="no")
        server.start()
        try:
            store = open_store(server.url)
            for number in range(games):
                store.lobbies.create(_lobby(number), b"s" * 32)
        finally:
            server.stop()

    return make


def _lobby(number: int) -> Lobby:
    return Lobby(
        *(f"g{number:06d}", "battalia", "ada", (Chair("ada"), Chair()), "creation_v1", {}, (), {"mode": "free"}),
        *("public", "0" * 64, 1_700_000_000_000 + number),
    )


@contextlib.contextmanager
def _opened(data: Path) -> Iterator[Store]:
    server = EmbeddedServer(data, fsync="no")
    server.start()
    try:
        yield open_store(server.url)
    finally:
        server.stop()


def _page(store: Store) -> float:
    begun = time.perf_counter()
    page, _ = store.lobbies.page(kind="battalia")
    taken = time.perf_counter() - begun
    if len(page) != 50:
        raise RuntimeError("the first page is not full")
    return taken
