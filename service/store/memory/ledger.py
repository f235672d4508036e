"""The public log of heads in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from domain.terms import GameId
from service.store.ledger.leaves import Leaf
from service.store.ledger.tiles import WIDTH
from service.store.memory.shelf import Shelf
from service.store.ports.beside import Grown


class MemoryLedger:
    """See `service.store.ports.beside.Ledger`."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._name = ""
        self._leaves: list[Leaf] = []
        self._tiles: defaultdict[tuple[int, int], bytes] = defaultdict(bytes)
        self._of: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._checkpoint = b""
        self._days: dict[str, bytes] = {}
        self._moving: set[GameId] = set()

    def named(self, name: str) -> str:
        self._name = self._name or name
        return self._name

    def checkpoint(self) -> tuple[int, bytes]:
        return len(self._leaves), self._checkpoint

    def days(self) -> Mapping[str, bytes]:
        return dict(self._days)

    def leaves(self, place: int) -> bytes:
        return b"".join(leaf.packed for leaf in self._leaves[place * WIDTH : (place + 1) * WIDTH])

    def tile(self, level: int, place: int) -> bytes:
        return self._tiles.get((level, place), b"")

    def of(self, name: str) -> Sequence[tuple[int, int]]:
        return list(self._of.get(name, ()))

    def newest(self, names: Collection[str]) -> Mapping[str, int]:
        return {name: (self._of.get(name) or [(0, 0)])[-1][1] for name in names}

    def grow(self, grown: Grown) -> bool:
        with self._shelf.guard:
            if grown.size != len(self._leaves):
                return False
            for place, leaf in enumerate(grown.leaves, grown.size):
                self._of[leaf.name].append((place, leaf.seq))
            self._leaves += grown.leaves
            for tile in grown.tiles:
                self._tiles[tile.level, tile.place] += tile.hashes
            self._checkpoint = grown.checkpoint
            self._days.setdefault(grown.day, grown.checkpoint)
            return True

    def moved(self, partition: int) -> Mapping[GameId, tuple[int, str]]:
        with self._shelf.guard:
            here = {game_id for game_id in self._shelf.moved if self._shelf.partition(game_id) == partition}
            self._moving |= here
            self._shelf.moved -= here
            aside = sorted(game_id for game_id in self._moving if self._shelf.partition(game_id) == partition)
            last = {game_id: self._shelf.games[game_id].commits[-1] for game_id in aside}
            return {game_id: (commit.seq, commit.head) for game_id, commit in last.items()}

    def logged(self, partition: int, games: Collection[GameId]) -> None:
        with self._shelf.guard:
            self._moving -= {each for each in games if self._shelf.partition(each) == partition}

    def waiting(self) -> int:
        with self._shelf.guard:
            return len(self._shelf.moved) + len(self._moving)
