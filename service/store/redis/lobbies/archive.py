"""Games that lie in the archive: an index of 32 bytes a game here, and copies for as long as somebody reads them.

A copy stands under the game's own keys, which all of them go away at one instant: so whatever reads a finished game reads it
as it always did, and nothing has to be cleared away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from cachetools import LRUCache

from domain.terms import GameId
from service.process.logs import logger
from service.store.ports.beside import DRAWERS
from service.store.ports.errors import ArchiveDown
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.lobbies.moving import STAYS, RedisMoves
from service.store.shared import crate
from service.store.shared.objects import Objects

COPY, STAY = Script("copy"), Script("stay")

LEAVES = 5_000
"""Milliseconds after which a copy goes that has to make room for others."""
_AGAIN = STAYS / 4000
"""Seconds after which a process says once more that a copy is read."""
_CARDS = 8 << 20
"""Bytes of games' own fields that a process remembers, for lists."""

log = logger("archive")


class RedisArchive(RedisMoves):
    """See `service.store.ports.beside.Shelf`; and moving games there, and looking after what lies there."""

    def __init__(self, wire: Wire, names: Keys, objects: Objects | None, room: int) -> None:
        """``room`` is how many bytes of copies may be here at a time."""
        self._wire, self._keys, self._objects, self._room = wire, names, objects, room
        self._said: LRUCache[tuple[GameId, bytes], float] = LRUCache(10_000)
        self._cards: LRUCache[bytes, Mapping[bytes, bytes]] = LRUCache(_CARDS, getsizeof=_size)
        self._guard = threading.Lock()

    @property
    def is_there(self) -> bool:
        """Whether this process knows of an archive."""
        return self._objects is not None

    # -- reading ------------------------------------------------------------------------------------------------------

    def fetch(self, game_id: GameId) -> bool:
        name = self._wire.one("HGET", self._keys.partition(game_id).archive, game_id)
        if name is None:
            return False
        try:
            content = crate.unpacked(game_id, name, self._there(game_id).get(name))
        except ArchiveDown:
            if self._wire.one("HGET", self._keys.partition(game_id).archive, game_id) == name:
                raise
            # It was taken back meanwhile, or moved anew, and its object removed.
            return bool(self._wire.one("EXISTS", self._keys.game(game_id).meta)) or self.fetch(game_id)
        held, commits = crate.held_in(content), list(crate.commits_in(crate.export_in(content)))
        parts = [held.meta, held.ids, held.told, *(held.drawers.get(drawer, {}) for drawer in DRAWERS)]
        size = sum(map(_size, parts)) + sum(map(len, commits))
        self._make_room(game_id, size)
        flat = [list(chain.from_iterable(part.items())) for part in parts]
        arguments = [game_id, name, STAYS, *map(len, flat), *chain.from_iterable(flat), *commits]
        if not self._wire.call(COPY, [*self._keys.whole(game_id), self._keys.partition(game_id).archive], arguments):
            return self.fetch(game_id)  # it has been moved anew, or taken back, meanwhile
        self._is_here(game_id, size)
        return True

    def content(self, game_id: GameId) -> bytes | None:
        """What the object of a game holds, without a copy of it; None if it does not lie in the archive. Raises `ArchiveDown`."""
        name = self._wire.one("HGET", self._keys.partition(game_id).archive, game_id)
        return None if name is None else crate.unpacked(game_id, name, self._there(game_id).get(name))

    def back(self, game_id: GameId) -> bool:
        return not self._wire.one("EXISTS", self._keys.game(game_id).meta) and self.fetch(game_id)

    def seen(self, game_id: GameId, name: bytes) -> None:
        with self._guard:
            if time.monotonic() - self._said.get((game_id, name), -_AGAIN) < _AGAIN:
                return
            self._said[game_id, name] = time.monotonic()
        if self._stay(game_id, name, "GT", STAYS):
            self._is_here(game_id, 0)

    def keep(self, game_id: GameId) -> None:
        where = self._keys.partition(game_id).archive
        while True:
            status, copy = self._wire.one("HMGET", self._keys.game(game_id).meta, "status", "archived")
            if status is not None and copy is None:
                return
            if status is None and not self.fetch(game_id):
                return
            name = copy or self._wire.one("HGET", where, game_id)
            if name is None:
                return
            if self._stay(game_id, name, "good", 0):
                # What is erased from the game is to be in no object; if this fails, the next mover removes it.
                with suppress(ArchiveDown):
                    self.remove(name)
                    self.swept(game_id, name)
                return

    def filled(self, games: Sequence[GameId], fields: Sequence[str], replies: Sequence[Any]) -> list[Any]:
        found = list(replies)
        missing = [place for place, reply in enumerate(found) if isinstance(reply, list) and not any(reply)]
        if missing:
            cards = self._cards_of([games[place] for place in missing])
            wanted = [field.encode() for field in fields]
            for place in missing:
                card = cards.get(games[place])
                if card is not None:
                    found[place] = [card.get(field) for field in wanted]
        return found

    def _cards_of(self, games: Sequence[GameId]) -> Mapping[GameId, Mapping[bytes, bytes]]:
        """The own fields of those of these games that lie in the archive, and can be had from there."""
        rows = self._wire.all([("HGET", self._keys.partition(game_id).archive, game_id) for game_id in games])
        named = {game_id: name for game_id, name in zip(games, rows, strict=True) if name is not None}
        with self._guard:
            found = {game_id: self._cards[name] for game_id, name in named.items() if name in self._cards}
        wanted = [game_id for game_id in named if game_id not in found]
        if not wanted or self._objects is None:
            return found
        for game_id, data in zip(wanted, self._objects.many([named[game_id] for game_id in wanted]), strict=True):
            try:
                if isinstance(data, ArchiveDown):
                    raise data
                card = crate.meta_in(crate.unpacked(game_id, named[game_id], data))
            except ArchiveDown as error:
                log.warning("a game is left out of a list", game=game_id, why=str(error))
                continue
            found[game_id] = card
            with self._guard:
                if _size(card) <= self._cards.maxsize:
                    self._cards[named[game_id]] = card
        return found

    # -- copies -------------------------------------------------------------------------------------------------------

    def forget(self, game_id: GameId) -> None:
        """Have a copy go now, for who must see what the archive itself holds."""
        name = self._wire.one("HGET", self._keys.game(game_id).meta, "archived")
        if name is not None:
            self._stay(game_id, name, "LT", 0)

    def _stay(self, game_id: GameId, name: bytes, how: str, stays: int) -> bool:
        partition = self._keys.partition(game_id)
        where = [*self._keys.whole(game_id), partition.archive, partition.litter]
        return bool(self._wire.call(STAY, where, [game_id, name, how, stays]))

    def _is_here(self, game_id: GameId, size: int) -> None:
        """Note how large a copy is and until when it is here; without a size the former stands."""
        till = self._wire.now() + STAYS
        if size:
            self._wire.one("ZADD", keys.COPIES, till, f"{game_id} {size}")
            return
        for member, _ in self._copies():
            if member.partition(" ")[0] == game_id:
                self._wire.one("ZADD", keys.COPIES, "XX", till, member)

    def _make_room(self, game_id: GameId, size: int) -> None:
        """Have those go that were read least lately, so that there is room for one more."""
        copies = [(member.partition(" ")[0], int(member.partition(" ")[2]), member) for member, _ in self._copies()]
        total = size + sum(each[1] for each in copies)
        for other, bytes_, member in copies:
            if total <= self._room:
                return
            total -= bytes_
            self._wire.one("ZREM", keys.COPIES, member)
            name = self._wire.one("HGET", self._keys.game(GameId(other)).meta, "archived")
            if other != game_id and name is not None:
                self._stay(GameId(other), name, "LT", LEAVES)

    def _copies(self) -> list[tuple[str, int]]:
        """The copies that are here, those first that go first."""
        self._wire.one("ZREMRANGEBYSCORE", keys.COPIES, "-inf", self._wire.now())
        flat = self._wire.one("ZRANGE", keys.COPIES, 0, -1, "WITHSCORES")
        return [(member.decode(), int(float(till))) for member, till in zip(flat[::2], flat[1::2], strict=True)]


def _size(pairs: Mapping[bytes, bytes]) -> int:
    return sum(len(name) + len(value) for name, value in pairs.items())
