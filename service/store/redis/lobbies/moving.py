"""Moving games to the archive, step by step, and looking after what lies there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.terms import GameId
from service.store.ports.beside import DRAWERS, Held, Look, Step
from service.store.ports.errors import ArchiveDown
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.shared.objects import Objects

ARCHIVE = Script("archive")

STAYS = 120_000
"""Milliseconds for which a copy is here after somebody has read it."""

_TOGETHER = 1000
"""Games looked at in one round trip."""


class RedisMoves:
    """The part of the archive that games go into."""

    _wire: Wire
    _keys: Keys
    _objects: Objects | None

    def _there(self, game_id: GameId) -> Objects:
        if self._objects is None:
            raise ArchiveDown(f"{game_id} lies in an archive, and ORACLEWHEEL_ARCHIVE does not say where that is")
        return self._objects

    # -- moving -------------------------------------------------------------------------------------------------------

    def put(self, name: bytes, data: bytes) -> None:
        """Write an object."""
        self._there(GameId("what is moved")).put(name, data)

    def get(self, name: bytes) -> bytes | None:
        """The object of a name."""
        return self._there(GameId("what is moved")).get(name)

    def remove(self, name: bytes) -> None:
        """Remove an object."""
        self._there(GameId("what was moved")).remove(name)

    def names(self) -> Iterator[bytes]:
        """The names of all objects there are."""
        return self._there(GameId("what was moved")).names()

    def look(self, game_id: GameId) -> Look:
        """What is kept of a finished game of which nothing is owed any more."""
        word, *rest = self._move("look", game_id)
        if word != b"ok":
            return Look(_step(word))
        digest, at, meta, ids, told, *drawers = rest
        notes = {drawer: _pairs(flat) for drawer, flat in zip(DRAWERS, drawers, strict=True)}
        return Look("ok", Held(_pairs(meta), _pairs(ids), _pairs(told), notes, digest, at))

    def begin(self, game_id: GameId, name: bytes) -> Step:
        """Say which object it is being written to; one that somebody has begun before becomes litter."""
        return _step(self._move("begin", game_id, name)[0])

    def swap(self, game_id: GameId, name: bytes, held: Held) -> Step:
        """Let the index lead to the object; what is here goes by itself soon. Nothing happens if anything has changed."""
        return _step(self._move("swap", game_id, name, held.digest, STAYS)[0])

    def drop(self, game_id: GameId, name: bytes) -> Step:
        """Give up a move that was begun; its object is litter."""
        return _step(self._move("drop", game_id, name)[0])

    def _move(self, step: str, game_id: GameId, *rest: Any) -> Any:
        shared = self._keys.partition(game_id)
        others = (shared.archive, shared.leaving, shared.litter, shared.outbox, shared.marks, shared.stalled)
        return self._wire.call(ARCHIVE, [*self._keys.whole(game_id), *others], [step, game_id, *rest])

    # -- looking after it ---------------------------------------------------------------------------------------------

    def finished(self, since: int) -> Iterator[GameId]:
        """Those that were over by an instant, are no copies, and to whose subscriptions nothing is owed."""
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
        """Moves that were begun and have not come to anything yet."""
        replies = self._wire.all([("HGETALL", partition.leaving) for partition in self._keys.partitions])
        return {GameId(game.decode()): name for flat in replies for game, name in _pairs(flat).items()}

    def litter(self) -> Sequence[tuple[GameId, bytes]]:
        """Objects that nothing leads to any more."""
        replies = self._wire.all([("SMEMBERS", partition.litter) for partition in self._keys.partitions])
        found = [member.partition(b" ") for reply in replies for member in reply]
        return sorted((GameId(game.decode()), name) for game, _, name in found)

    def disown(self, game_id: GameId, name: bytes) -> None:
        """Have the index lead to a game no more that is in the store itself; its object is litter."""
        shared = self._keys.partition(game_id)
        self._wire.all(
            [
                ("SADD", shared.litter, game_id.encode() + b" " + name),
                ("HDEL", shared.archive, game_id),
            ]
        )

    def adopt(self, game_id: GameId, name: bytes, *, write: bool) -> bool:
        """Have the index lead to an object of a game that is nowhere else; whether it leads nowhere yet."""
        where = self._keys.partition(game_id).archive
        if not write:
            return not self._wire.one("HEXISTS", where, game_id)
        return bool(self._wire.one("HSETNX", where, game_id, name))

    def swept(self, game_id: GameId, name: bytes) -> None:
        """The object is gone."""
        self._wire.one("SREM", self._keys.partition(game_id).litter, game_id.encode() + b" " + name)


def _pairs(flat: Sequence[bytes]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _step(word: bytes) -> Step:
    step: Any = word.decode()
    return step  # type: ignore[no-any-return]
