"""Games in the archive: an index with 32 bytes per game, and temporary copies for readers.

A copy is stored under the game's own keys, which all expire at the same instant. So every reader of a finished game
works unchanged, and no cleanup is needed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from cachetools import LRUCache

from domain.kernel.terms import GameId
from service.ops.logging import logger
from service.store.ports.errors import ArchiveDown
from service.store.ports.side_data import DRAWERS, GameData, Look, Step
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.conditional import Command, execute_if
from service.store.redis.keys import Keys
from service.store.shared import archive_object
from service.store.shared.object_storage import ObjectStorage

COPY, ARCHIVE = Script("copy"), Script("archive")

STAYS = 120_000
"""Milliseconds for which a copy stays after a read."""

LEAVES = 5_000
"""Milliseconds after which a copy expires that must make room for others."""
_AGAIN = STAYS / 4000
"""Seconds after which a process extends the life of a copy again."""
_CARDS = 8 << 20
"""Bytes of games' own fields that a process caches, for lists."""

_TOGETHER = 1000
"""Games read in one round trip."""

log = logger("archive")


class Archive:
    def __init__(self, wire: RedisClient, names: Keys, objects: ObjectStorage | None, room: int) -> None:
        """``room`` is the maximum total size of copies in bytes."""
        self._wire, self._keys, self._objects, self._room = wire, names, objects, room
        self._said: LRUCache[tuple[GameId, bytes], float] = LRUCache(10_000)
        self._cards: LRUCache[bytes, Mapping[bytes, bytes]] = LRUCache(_CARDS, getsizeof=_size)
        self._guard = threading.Lock()

    @property
    def is_there(self) -> bool:
        """Whether an archive is configured in this process."""
        return self._objects is not None

    # -- reading ------------------------------------------------------------------------------------------------------

    def fetch(self, game_id: GameId) -> bool:
        """Make a temporary copy of an archived game; whether it is in the archive. Raises `ArchiveDown`."""
        name = self._wire.one("HGET", self._keys.partition(game_id).archive, game_id)
        if name is None:
            return False
        try:
            content = archive_object.unpacked(game_id, name, self._there(game_id).get(name))
        except ArchiveDown:
            if self._wire.one("HGET", self._keys.partition(game_id).archive, game_id) == name:
                raise
            # It was restored or archived again in the meantime, and its object was removed.
            return bool(self._wire.one("EXISTS", self._keys.game(game_id).meta)) or self.fetch(game_id)
        held, commits = (
            archive_object.held_in(content),
            list(archive_object.commits_in(archive_object.export_in(content))),
        )
        parts = [held.meta, held.ids, held.told, *(held.drawers.get(drawer, {}) for drawer in DRAWERS)]
        size = sum(map(_size, parts)) + sum(map(len, commits))
        self._make_room(game_id, size)
        flat = [list(chain.from_iterable(part.items())) for part in parts]
        arguments = [game_id, name, STAYS, *map(len, flat), *chain.from_iterable(flat), *commits]
        if not self._wire.call(COPY, [*self._keys.whole(game_id), self._keys.partition(game_id).archive], arguments):
            return self.fetch(game_id)  # it was archived again or restored in the meantime
        self._is_here(game_id, size)
        return True

    def content(self, game_id: GameId) -> bytes | None:
        """The content of a game's archive object, without a copy; None if it is not in the archive. Raises `ArchiveDown`."""
        name = self._wire.one("HGET", self._keys.partition(game_id).archive, game_id)
        return None if name is None else archive_object.unpacked(game_id, name, self._there(game_id).get(name))

    def back(self, game_id: GameId) -> bool:
        """As `fetch`, if nothing of the game is stored here: whether it was missing, and now is here."""
        return not self._wire.one("EXISTS", self._keys.game(game_id).meta) and self.fetch(game_id)

    def seen(self, game_id: GameId, name: bytes) -> None:
        """Extend the life of a copy after a read; ``name`` is that of its archive object."""
        with self._guard:
            if time.monotonic() - self._said.get((game_id, name), -_AGAIN) < _AGAIN:
                return
            self._said[game_id, name] = time.monotonic()
        if self._stay(game_id, name, "GT", STAYS):
            self._is_here(game_id, 0)

    def keep(self, game_id: GameId) -> None:
        """Call before a change to the game: an archived game is restored to the store for good."""
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
            if self._restore(game_id, name):
                # Data that is erased from the game must be in no object; if this fails, the next mover removes it.
                with suppress(ArchiveDown):
                    self.remove(name)
                    self.swept(game_id, name)
                return

    def filled(self, games: Sequence[GameId], fields: Sequence[str], replies: Sequence[Any]) -> list[Any]:
        """Replies to an HMGET of each game's meta, with those of archived games filled in.

        Games that cannot be read from the archive stay empty. Makes no copies.
        """
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
                card = archive_object.meta_in(archive_object.unpacked(game_id, named[game_id], data))
            except ArchiveDown as error:
                log.warning("game_omitted", game=game_id, reason=str(error))
                continue
            found[game_id] = card
            with self._guard:
                if _size(card) <= self._cards.maxsize:
                    self._cards[named[game_id]] = card
        return found

    # -- copies -------------------------------------------------------------------------------------------------------

    def forget(self, game_id: GameId) -> None:
        """Let a copy expire now, for callers that must see the archive's own content."""
        name = self._wire.one("HGET", self._keys.game(game_id).meta, "archived")
        if name is not None:
            self._stay(game_id, name, "LT", 0)

    def _stay(self, game_id: GameId, name: bytes, how: str, stays: int) -> bool:
        """Let a copy live at least (``GT``) or at most (``LT``) so many milliseconds from now; False without such a copy."""
        key, till = self._keys.game(game_id).meta, self._wire.now() + stays
        writes = [("PEXPIREAT", each, till, how) for each in self._keys.whole(game_id)]
        return execute_if(self._wire, {("HGET", key, "archived"): name}, writes)

    def _restore(self, game_id: GameId, name: bytes) -> bool:
        """Make a copy the game itself again; False if the archive has another object of it."""
        key, partition = self._keys.game(game_id).meta, self._keys.partition(game_id)
        reads = {("HGET", key, "archived"): name, ("HGET", partition.archive, game_id): name}
        writes: list[Command] = [
            ("HDEL", partition.archive, game_id),
            ("HDEL", key, "archived"),
            ("SADD", partition.litter, game_id.encode() + b" " + name),
            *(("PERSIST", each) for each in self._keys.whole(game_id)),
        ]
        return execute_if(self._wire, reads, writes)

    def _is_here(self, game_id: GameId, size: int) -> None:
        """Record the size of a copy and when it expires; size 0 keeps the recorded one."""
        till = self._wire.now() + STAYS
        if size:
            self._wire.one("ZADD", keys.COPIES, till, f"{game_id} {size}")
            return
        for member, _ in self._copies():
            if member.partition(" ")[0] == game_id:
                self._wire.one("ZADD", keys.COPIES, "XX", till, member)

    def _make_room(self, game_id: GameId, size: int) -> None:
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
        self._wire.one("ZREMRANGEBYSCORE", keys.COPIES, "-inf", self._wire.now())
        flat = self._wire.one("ZRANGE", keys.COPIES, 0, -1, "WITHSCORES")
        return [(member.decode(), int(float(till))) for member, till in zip(flat[::2], flat[1::2], strict=True)]

    def _there(self, game_id: GameId) -> ObjectStorage:
        if self._objects is None:
            raise ArchiveDown(f"{game_id} lies in an archive, and ORACLEWHEEL_ARCHIVE does not say where that is")
        return self._objects

    # -- moving -------------------------------------------------------------------------------------------------------

    def put(self, name: bytes, data: bytes) -> None:
        self._there(GameId("what is moved")).put(name, data)

    def get(self, name: bytes) -> bytes | None:
        return self._there(GameId("what is moved")).get(name)

    def remove(self, name: bytes) -> None:
        self._there(GameId("what was moved")).remove(name)

    def names(self) -> Iterator[bytes]:
        return self._there(GameId("what was moved")).names()

    def look(self, game_id: GameId) -> Look:
        """All data of a finished game without pending deliveries."""
        word, *rest = self._move("look", game_id)
        if word != b"ok":
            return Look(_step(word))
        digest, at, meta, ids, told, *drawers = rest
        notes = {drawer: _pairs(flat) for drawer, flat in zip(DRAWERS, drawers, strict=True)}
        return Look("ok", GameData(_pairs(meta), _pairs(ids), _pairs(told), notes, digest, at))

    def begin(self, game_id: GameId, name: bytes) -> Step:
        """Record the object that a game is being written to; the object of an earlier attempt becomes litter."""
        return _step(self._move("begin", game_id, name)[0])

    def swap(self, game_id: GameId, name: bytes, held: GameData) -> Step:
        """Point the index to the object, and let the data here expire soon. Does nothing if anything has changed."""
        return _step(self._move("swap", game_id, name, held.digest, STAYS)[0])

    def drop(self, game_id: GameId, name: bytes) -> Step:
        """Cancel a move that was begun; its object becomes litter."""
        return _step(self._move("drop", game_id, name)[0])

    def _move(self, step: str, game_id: GameId, *rest: Any) -> Any:
        shared = self._keys.partition(game_id)
        others = (shared.archive, shared.leaving, shared.litter, shared.outbox, shared.marks, shared.stalled)
        return self._wire.call(ARCHIVE, [*self._keys.whole(game_id), *others], [step, game_id, *rest])

    # -- looking after it ---------------------------------------------------------------------------------------------

    def finished(self, since: int) -> Iterator[GameId]:
        """Games that ended by an instant, are not copies, and have no pending deliveries."""
        outboxes = self._wire.all([("ZRANGE", partition.outbox, 0, -1) for partition in self._keys.partitions])
        owed = {member.partition(b" ")[0].decode() for outbox in outboxes for member in outbox}
        games: list[GameId] = []
        for name in self._wire.scan(keys.EVERY_META):
            game_id = keys.game_of_meta(name.decode())
            if game_id not in owed:
                games.append(game_id)
            if len(games) == _TOGETHER:
                yield from self._over(games, since)
                games = []
        yield from self._over(games, since)

    def _over(self, games: Sequence[GameId], since: int) -> Iterator[GameId]:
        asked = [("HMGET", self._keys.game(game_id).meta, "status", "archived") for game_id in games]
        over = [game for game, reply in zip(games, self._wire.many(asked), strict=True) if reply == [b"over", None]]
        newest = [("XREVRANGE", self._keys.game(game_id).commits, "+", "-", "COUNT", 1) for game_id in over]
        for game_id, reply in zip(over, self._wire.many(newest), strict=True):
            if isinstance(reply, list) and reply and int.from_bytes(reply[0][1][1][1:7], "big") <= since:
                yield game_id

    def index(self) -> Iterator[tuple[GameId, bytes]]:
        """Every game in the archive, and the name of its object."""
        for partition in self._keys.partitions:
            cursor = b"0"
            while True:
                cursor, flat = self._wire.one("HSCAN", partition.archive, cursor, "COUNT", 1000)
                for game, name in zip(flat[::2], flat[1::2], strict=True):
                    yield GameId(game.decode()), name
                if cursor == b"0":
                    break

    def moving(self) -> Mapping[GameId, bytes]:
        """Unfinished moves: game and object name."""
        replies = self._wire.all([("HGETALL", partition.leaving) for partition in self._keys.partitions])
        return {GameId(game.decode()): name for flat in replies for game, name in _pairs(flat).items()}

    def litter(self) -> Sequence[tuple[GameId, bytes]]:
        """Objects without an index entry."""
        replies = self._wire.all([("SMEMBERS", partition.litter) for partition in self._keys.partitions])
        found = [member.partition(b" ") for reply in replies for member in reply]
        return sorted((GameId(game.decode()), name) for game, _, name in found)

    def disown(self, game_id: GameId, name: bytes) -> None:
        """Remove a game that is in the store from the index; its object becomes litter."""
        shared = self._keys.partition(game_id)
        self._wire.all(
            [
                ("SADD", shared.litter, game_id.encode() + b" " + name),
                ("HDEL", shared.archive, game_id),
            ]
        )

    def adopt(self, game_id: GameId, name: bytes, *, write: bool) -> bool:
        """Point the index to the object of a game that is stored nowhere else; whether the index had no entry yet."""
        where = self._keys.partition(game_id).archive
        if not write:
            return not self._wire.one("HEXISTS", where, game_id)
        return bool(self._wire.one("HSETNX", where, game_id, name))

    def swept(self, game_id: GameId, name: bytes) -> None:
        """Remove a deleted object from the litter."""
        self._wire.one("SREM", self._keys.partition(game_id).litter, game_id.encode() + b" " + name)


def _size(pairs: Mapping[bytes, bytes]) -> int:
    return sum(len(name) + len(value) for name, value in pairs.items())


def _pairs(flat: Sequence[bytes]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _step(word: bytes) -> Step:
    step: Any = word.decode()
    return step  # type: ignore[no-any-return]
