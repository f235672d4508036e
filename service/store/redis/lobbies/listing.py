"""Lists of games: many sorted sets read as one, newest first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from domain.kernel.terms import GameId
from service.store.redis.client import RedisClient
from service.store.shared.cursor import Place


class _ListReader:
    def __init__(self, name: str, after: Place | None) -> None:
        self.name, self.after = name, after
        self.top: int | str = "+inf" if after is None else after[0]
        self.skip = 0
        self.places: list[Place] = []
        self.ended = False

    def command(self, chunk: int) -> tuple[object, ...]:
        limits = ("LIMIT", self.skip, chunk)
        return ("ZRANGE", self.name, self.top, "-inf", "BYSCORE", "REV", *limits, "WITHSCORES")

    def take(self, reply: Sequence[bytes], chunk: int) -> None:
        pairs = zip(reply[::2], reply[1::2], strict=True)
        found = [(int(float(score)), GameId(member.decode())) for member, score in pairs]
        self.ended = len(found) < chunk
        if found and self.skip == 0:
            # Games created in the meantime must not shift the offset.
            self.top = found[0][0]
        self.skip += len(found)
        self.places = [place for place in found if self.after is None or place < self.after]
        self.places.reverse()


def merged(wire: RedisClient, names: Sequence[str], after: Place | None, wanted: int) -> Iterator[GameId]:
    """The ids of all sets together, newest first, after a place in that order.

    At first reads only about its share of ``wanted`` from each set, and more when that runs out.
    """
    chunk = max(4, wanted * 2 // len(names) + 2)
    readers = [_ListReader(name, after) for name in names]
    _fill(wire, readers, chunk)
    heap = [(_newest_first(reader.places.pop()), number) for number, reader in enumerate(readers) if reader.places]
    heapq.heapify(heap)
    while heap:
        place, number = heap[0]
        yield place[1].game_id
        reader = readers[number]
        if not reader.places and not reader.ended:
            _fill(wire, [reader], chunk)
        if reader.places:
            heapq.heapreplace(heap, (_newest_first(reader.places.pop()), number))
        else:
            heapq.heappop(heap)


def _fill(wire: RedisClient, readers: Sequence[_ListReader], chunk: int) -> None:
    while readers:
        replies = wire.all([reader.command(chunk) for reader in readers])
        for reader, reply in zip(readers, replies, strict=True):
            reader.take(reply, chunk)
        readers = [reader for reader in readers if not reader.places and not reader.ended]


class _Later:
    __slots__ = ("game_id",)

    def __init__(self, game_id: GameId) -> None:
        self.game_id = game_id

    def __lt__(self, other: _Later) -> bool:
        return self.game_id > other.game_id


def _newest_first(place: Place) -> tuple[int, _Later]:
    return -place[0], _Later(place[1])
