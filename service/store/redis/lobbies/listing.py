"""Lists of games: many sorted sets read as one, in order of creation."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from domain.kernel.terms import GameId
from service.store.redis.client import RedisClient
from service.store.shared.cursor import Place


class _ListReader:
    def __init__(self, name: str, after: Place | None, since: int | None, *, oldest_first: bool) -> None:
        self.name, self.after, self._oldest_first = name, after, oldest_first
        first: int | str = "-inf" if since is None else since
        last: int | str = "+inf"
        start, self._stop = (first, last) if oldest_first else (last, first)
        self._start = start if after is None else after[0]
        self._skip = 0
        self.places: list[Place] = []
        self.ended = False

    def command(self, chunk: int) -> tuple[object, ...]:
        order = () if self._oldest_first else ("REV",)
        return (
            *("ZRANGE", self.name, self._start, self._stop, "BYSCORE", *order),
            *("LIMIT", self._skip, chunk, "WITHSCORES"),
        )

    def take(self, reply: Sequence[bytes], chunk: int) -> None:
        pairs = zip(reply[::2], reply[1::2], strict=True)
        found = [(int(float(score)), GameId(member.decode())) for member, score in pairs]
        self.ended = len(found) < chunk
        if found and self._skip == 0:
            # Games created in the meantime must not shift the offset.
            self._start = found[0][0]
        self._skip += len(found)
        self.places = [place for place in found if self._is_later(place)]
        self.places.reverse()

    def _is_later(self, place: Place) -> bool:
        return self.after is None or (place > self.after if self._oldest_first else place < self.after)


def merged(
    wire: RedisClient,
    names: Sequence[str],
    after: Place | None,
    wanted: int,
    *,
    since: int | None = None,
    oldest_first: bool = False,
) -> Iterator[GameId]:
    """The ids of all sets together, newest or oldest first, after a place in that order.

    ``since``: only games created at this instant or later. At first reads only about its share of ``wanted`` from each
    set, and more when that runs out.
    """
    chunk = max(4, wanted * 2 // len(names) + 2)
    readers = [_ListReader(name, after, since, oldest_first=oldest_first) for name in names]
    _fill(wire, readers, chunk)
    rank = _oldest_first if oldest_first else _newest_first
    heap = [(rank(reader.places.pop()), number) for number, reader in enumerate(readers) if reader.places]
    heapq.heapify(heap)
    while heap:
        place, number = heap[0]
        yield place[1].game_id
        reader = readers[number]
        if not reader.places and not reader.ended:
            _fill(wire, [reader], chunk)
        if reader.places:
            heapq.heapreplace(heap, (rank(reader.places.pop()), number))
        else:
            heapq.heappop(heap)


def _fill(wire: RedisClient, readers: Sequence[_ListReader], chunk: int) -> None:
    while readers:
        replies = wire.all([reader.command(chunk) for reader in readers])
        for reader, reply in zip(readers, replies, strict=True):
            reader.take(reply, chunk)
        readers = [reader for reader in readers if not reader.places and not reader.ended]


class _Earlier:
    __slots__ = ("game_id",)

    def __init__(self, game_id: GameId) -> None:
        self.game_id = game_id

    def __lt__(self, other: _Earlier) -> bool:
        return self.game_id < other.game_id


class _Later(_Earlier):
    __slots__ = ()

    def __lt__(self, other: _Earlier) -> bool:
        return self.game_id > other.game_id


def _newest_first(place: Place) -> tuple[int, _Earlier]:
    return -place[0], _Later(place[1])


def _oldest_first(place: Place) -> tuple[int, _Earlier]:
    return place[0], _Earlier(place[1])
