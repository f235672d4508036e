"""Carrying what belongs to games from one partition to another: copied, compared, and only then taken away where it was."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from redis.exceptions import ResponseError

from domain.terms import GameId
from service.store.ports.beside import NO_GAME
from service.store.ports.errors import StoreUnusable
from service.store.redis.connect import Wire
from service.store.redis.keys import Keys

TOGETHER = 50
"""Games carried in one go."""
MEMBERS = 1000
"""Members of what a partition's games share carried in one go."""
AT_ONCE = 256 << 20
"""Bytes that may lie in both places at a time."""

_TAGGED = re.compile(r"\{p(\d+)\}(?:(g):([^:]*):)?(.+)", re.DOTALL)


class Unknown(StoreUnusable):
    """Something lies in a partition that this release knows nothing of."""


class Differs(StoreUnusable):
    """Something stands in two places and is not the same."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What is where it does not belong among so many partitions, and what games share of each."""

    games: Sequence[tuple[int, GameId]]
    """The partition that a game lies in, and the game."""
    shared: Sequence[str]
    """Every key in which a partition keeps something of several games."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What stands in both places."""

    since: float
    pairs: Sequence[tuple[str, str]]
    """Where each key was, and where it is to be."""
    games: int
    bytes: int


def surveyed(wire: Wire, keys: Keys) -> Survey:
    """Look at every key that has a partition's tag. Raises `Unknown` for one that this release does not know."""
    ours = {name.partition("}")[2] for name in keys.whole(GameId(""))}
    tag = keys.partitions[0].tag
    sets = {
        getattr(keys.partitions[0], name).removeprefix(tag) for name in keys.partitions[0].__slots__ if name != "tag"
    }
    games, shared = set(), set()
    for raw in wire.scan("{p*"):
        name = raw.decode(errors="replace")
        found = _TAGGED.fullmatch(name)
        if found is None:
            continue  # its tag is not one of ours
        number, of_game, game_id, rest = int(found[1]), found[2], GameId(found[3] or ""), found[4]
        if of_game and game_id == NO_GAME:
            continue  # whose partition is the first, however many there are
        if of_game and f"g::{rest}" in ours:
            if number != keys.number(game_id):
                games.add((number, game_id))
        elif not of_game and (rest in sets or rest.startswith("games:")):
            shared.add(name)
        else:
            raise Unknown(f"{name} is nothing that this release knows: a later one may have written it. Take that one.")
    return Survey(sorted(games), sorted(shared))


@dataclass(slots=True)
class Carrier:
    """Carries games and what they share to where they belong. Whoever goes on with what another has begun does the same again.

    On one server an answer that was heard stands before all that is said afterwards, wherever it is read again. Of several
    servers one may lose what it had just answered: there a key is taken away only when its copy is ``lag`` seconds old.
    """

    wire: Wire
    keys: Keys
    lag: float = 0.0
    _waiting: deque[Carried] = field(default_factory=deque)

    def games(self, games: Sequence[tuple[int, GameId]]) -> Iterator[int]:
        """Carry these; how many have arrived each time that some have. Raises `Differs`, `StoreDown`."""
        for batch in batches(games, TOGETHER):
            self._waiting.append(self._copied([pair for each in batch for pair in self._pairs(*each)], len(batch)))
            yield from self._arrived(self.lag)
        yield from self._arrived(None)

    def shared(self, names: Iterable[str]) -> Iterator[int]:
        """Carry what stands of games in these sets and hashes that belongs into others; how many members each time."""
        gone: deque[tuple[float, str, Mapping[bytes, bytes]]] = deque()
        for name in names:
            for members in self._strange(name):
                self._added(name, members)
                gone.append((time.monotonic(), name, members))
            while gone and time.monotonic() - gone[0][0] >= self.lag:
                yield self._removed(*gone.popleft()[1:])
        while gone:
            time.sleep(max(0.0, gone[0][0] + self.lag - time.monotonic()))
            yield self._removed(*gone.popleft()[1:])

    def is_strange(self, name: str) -> bool:
        """Whether something stands in this set or hash that belongs into another partition's."""
        return any(True for _ in self._strange(name))

    # -- games --------------------------------------------------------------------------------------------------------

    def _pairs(self, number: int, game_id: GameId) -> list[tuple[str, str]]:
        there = self.keys.whole(game_id)
        return [(f"{{p{number}}}{name.partition('}')[2]}", name) for name in there]

    def _copied(self, pairs: Sequence[tuple[str, str]], games: int) -> Carried:
        asked = [command for here, _ in pairs for command in (("DUMP", here), ("PEXPIRETIME", here))]
        told = self.wire.apart(asked)
        found = [(pair, *each) for pair, *each in zip(pairs, told[::2], told[1::2], strict=True) if each[0] is not None]
        restored = [("RESTORE", there, max(0, goes), dump, "ABSTTL") for (_, there), dump, goes in found]
        for (pair, _, _), reply in zip(found, self.wire.many(restored), strict=True):
            # What is there already was brought by somebody who was stopped; it is compared like all others.
            if isinstance(reply, ResponseError) and not str(reply).startswith("BUSYKEY"):
                raise StoreUnusable(f"{pair[1]} cannot be written: {reply}. Nothing is lost; call it again.") from reply
        size = sum(len(dump) for _, dump, _ in found)
        return Carried(time.monotonic(), [pair for pair, _, _ in found], games, size)

    def _arrived(self, lag: float | None) -> Iterator[int]:
        """Let those go whose copies are old enough, or are too much to stand in two places; with None all, when it is time."""
        while self._waiting:
            first, held = self._waiting[0], sum(each.bytes for each in self._waiting)
            left = first.since + self.lag - time.monotonic()
            if left > 0 and lag is not None and held < AT_ONCE:
                return
            time.sleep(max(0.0, left))
            self._compared(first.pairs)
            by_game: dict[str, list[str]] = {}
            for here, _ in first.pairs:
                by_game.setdefault(here.rpartition(":notes:")[0] or here.rpartition(":")[0], []).append(here)
            # All of a game at once: what stands where it was is always the whole game.
            self.wire.all([("UNLINK", *names) for names in by_game.values()])
            self._waiting.popleft()
            yield first.games

    def _compared(self, pairs: Sequence[tuple[str, str]]) -> None:
        names = [name for pair in pairs for name in pair]
        told = self.wire.apart([each for name in names for each in (("DUMP", name), ("PEXPIRETIME", name))])
        for place, (here, there) in enumerate(pairs):
            mine, goes, other, stays = told[4 * place : 4 * place + 4]
            if (mine, goes) != (other, stays) and not self._alike(here, there):
                raise Differs(
                    f"{here} and {there} are not the same, and one of them is to take the other's place: neither was touched."
                    " Look at both, and put away the one that is wrong."
                )

    def _alike(self, here: str, there: str) -> bool:
        """Whether two keys hold the same: a large hash is written in no order. What goes by itself may just have gone."""
        if not self.wire.one("EXISTS", here):
            return True
        types = [self.wire.one("TYPE", name) for name in (here, there)]
        if types != [b"hash", b"hash"]:
            return False
        flat = self.wire.apart([("HGETALL", here), ("HGETALL", there)])
        goes = self.wire.all([("PEXPIRETIME", here), ("PEXPIRETIME", there)])
        return goes[0] == goes[1] and _pairs(flat[0]) == _pairs(flat[1])

    # -- what games share ---------------------------------------------------------------------------------------------

    def _strange(self, name: str) -> Iterator[dict[bytes, bytes]]:
        """Members that belong into another partition's, each with its score or value, some at a time."""
        number = int(name[2 : name.index("}")])
        found = self._contents(name)
        strange = ((member, what) for member, what in found.items() if self.keys.number(_game(member)) != number)
        for batch in batches(strange, MEMBERS):
            yield dict(batch)

    def _contents(self, name: str) -> dict[bytes, bytes]:
        match self.wire.one("TYPE", name):
            case b"zset":
                return _pairs(self.wire.apart([("ZRANGE", name, 0, -1, "WITHSCORES")])[0])
            case b"hash":
                return _pairs(self.wire.apart([("HGETALL", name)])[0])
            case b"set":
                return dict.fromkeys(self.wire.apart([("SMEMBERS", name)])[0], b"")
            case b"none":
                return {}
            case other:
                raise Unknown(f"{name} is a {other.decode()}, which no release has made: look at it, and remove it.")

    def _added(self, name: str, members: Mapping[bytes, bytes]) -> None:
        kind, rest = self.wire.one("TYPE", name), name.partition("}")[2]
        by_place: dict[str, list[bytes]] = {}
        for member, what in members.items():
            there = self.keys.partitions[self.keys.number(_game(member))].tag + rest
            by_place.setdefault(there, []).extend(
                {b"zset": (what, member), b"hash": (member, what), b"set": (member,)}[kind]
            )
        word = {b"zset": "ZADD", b"hash": "HSET", b"set": "SADD"}[kind]
        self.wire.all([(word, there, *told) for there, told in by_place.items()])

    def _removed(self, name: str, members: Mapping[bytes, bytes]) -> int:
        kind, rest = self.wire.one("TYPE", name), name.partition("}")[2]
        if kind == b"none":
            return 0  # somebody who was thought to be stopped did it
        there = [self.keys.partitions[self.keys.number(_game(member))].tag + rest for member in members]
        look = {b"zset": "ZSCORE", b"hash": "HGET", b"set": "SISMEMBER"}[kind]
        told = self.wire.all([(look, place, member) for place, member in zip(there, members, strict=True)])
        for place, (member, what), is_there in zip(there, members.items(), told, strict=True):
            if is_there != (what if kind != b"set" else 1):
                raise Differs(f"{member!r} is not in {place} as it is in {name}: neither was touched.")
        self.wire.one({b"zset": "ZREM", b"hash": "HDEL", b"set": "SREM"}[kind], name, *members)
        return len(members)


def _game(member: bytes) -> GameId:
    return GameId(member.partition(b" ")[0].decode())


def _pairs(flat: Sequence[bytes]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def batches(each: Iterable[Any], size: int) -> Iterator[Collection[Any]]:
    """These, so many at a time."""
    going = iter(each)
    while batch := list(islice(going, size)):
        yield batch
