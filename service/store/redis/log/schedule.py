"""Time in Redis: the clock, deadlines, locks, heartbeats, and quarantine markers."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from secrets import token_hex
from typing import Any

import orjson
from redis.exceptions import ResponseError

from domain import RELEASE
from domain.kernel.terms import SYSTEM, GameId
from service.ops.metrics.catalogue import DUE as LATE
from service.ops.processes.child_process import PROCESS
from service.store.chain import reading
from service.store.codec import canonical, plain
from service.store.ports.waiting import Due, Mark, Receipt, Waiting, counted_marks
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.conditional import acquire
from service.store.redis.keys import Keys
from service.store.redis.log.watch import Watch
from service.store.shared import lists
from service.store.shared.system import due_document, seat_of_due

SWEEP, DUE, PUT_OFF = Script("sweep"), Script("due"), Script("put_off")
CLOCK_BACK, BEAT = Script("clock_back"), Script("beat")

SWEPT = "pump"
"""Name of the heartbeat of sweeps. It keeps its old name, so that an update counts as an outage."""

USUAL = 3000
"""Maximum length in milliseconds of a lease whose length is not stored; workers use this length."""
_LOOKED_AT = 100
"""Games of each partition that are looked at, of the ready ones and of the leased ones, for those that were not put off."""
_WATCHED = 8
"""Games of each partition whose oldest commands are checked, of the ready ones and of the leased ones."""


class Schedule:
    def __init__(self, wire: RedisClient, names: Keys, owing: set[int]) -> None:
        """``owing`` is shared with the outbox: partitions with due deliveries."""
        self._wire, self._keys, self._owing = wire, names, owing
        self._owner = os.environ.get(PROCESS) or token_hex(8)
        self._watch = Watch()

    @property
    def holder(self) -> str:
        """Name of this process as owner of leases and locks. Contains the process id, since a fork copies the store."""
        return f"{self._owner}-{os.getpid()}"

    def partition(self, game_id: GameId) -> int:
        return self._keys.number(game_id)

    def now(self) -> int:
        """The store's clock: milliseconds of Unix time. No other clock decides anything."""
        return self._wire.now()

    def sweep(self, partition: int) -> int:
        """Mark games with expired leases as ready again, and submit what is due now.

        Returns the number of games to wake a worker for: those that became ready, and those that have been ready for
        0.3 seconds, because their wake was probably lost.
        """
        return self.sweep_all([partition])[partition]

    def sweep_all(self, partitions: Sequence[int]) -> Mapping[int, int]:
        """As `sweep`, for several partitions at once: the result of each."""
        shared = [self._keys.partitions[number] for number in partitions]
        there = self._wire.all([("EXISTS", each.ready, each.leases, each.due, each.outbox) for each in shared])
        busy = [number for number, found in zip(partitions, there, strict=True) if found]
        for number in set(partitions).difference(busy):
            self._watch.saw(number, ())
        replies = self._wire.calls(SWEEP, [self._sweeping(number) for number in busy])
        swept = {number: self._swept(number, reply) for number, reply in zip(busy, replies, strict=True)}
        return {number: swept.get(number, 0) for number in partitions}

    def _sweeping(self, partition: int) -> tuple[Sequence[str], Sequence[Any]]:
        shared = self._keys.partitions[partition]
        unmoved = [part for lease in self._watch.unmoved(partition) for part in lease]
        where = [shared.ready, shared.leases, shared.due, shared.holders, shared.claims, shared.outbox]
        return where, [USUAL, *unmoved]

    def _swept(self, partition: int, found: Sequence[Any]) -> int:
        """Submit what is due according to the script's reply; returns the number of games to wake a worker for."""
        shared = self._keys.partitions[partition]
        lapsed, waiting, members, left, owed = found
        if owed:
            self._owing.add(partition)
        self._watch.saw(partition, zip(left[::3], left[1::3], map(int, left[2::3]), strict=True))
        calls = []
        for game_id, letter, question in map(due_member, members):
            if not game_id:
                continue  # `oraclewheel doctor` removes it
            member = f"{game_id} {letter} {question}"
            names = self._keys.game(game_id)
            where = [names.meta, names.commands, names.ids, shared.ready, shared.leases, shared.due]
            field = ("d" if letter == "d" else "b") + question
            calls.append((where, [game_id, member, field, due_document(game_id, letter, question)]))
        ready = int(lapsed + waiting)
        for (_, arguments), reply in zip(calls, self._wire.tried(DUE, calls), strict=True):
            if isinstance(reply, ResponseError):
                self._set_aside(partition, GameId(str(arguments[0])), reply)
                continue
            ready += reply[0]
            if reply[1] >= 0:
                LATE.note(reply[1] / 1000)
        return ready

    def _set_aside(self, partition: int, game_id: GameId, error: ResponseError) -> None:
        """Mark a game whose due commands cannot be submitted, so that a settle worker checks it; other games continue."""
        mark = canonical(plain(Mark("quarantined", RELEASE, f"what is due there cannot be submitted: {error}")))
        shared = self._keys.partitions[partition]
        if self._wire.one("HSETNX", shared.marks, game_id, mark):
            self._wire.one("ZADD", shared.ready, "NX", self.now(), game_id)

    def awaited(self, partitions: Collection[int], within: int) -> Sequence[tuple[GameId, str]]:
        """The questions (`Due.question`) that search workers must answer for bots within so many milliseconds from now."""
        until = self.now() + within
        due = [self._keys.partitions[partition].due for partition in partitions]
        replies = self._wire.all([("ZRANGE", name, "-inf", until, "BYSCORE") for name in due])
        found = (due_member(member) for reply in replies for member in reply)
        return [(game_id, question) for game_id, letter, question in found if letter == "t"]

    def overdue(self, partition: int, since: int) -> Sequence[tuple[GameId, Due]]:
        """Deadlines of players that passed between ``since`` and now and are not yet submitted."""
        shared = self._keys.partitions[partition]
        reply = self._wire.one("ZRANGE", shared.due, since, self.now(), "BYSCORE", "WITHSCORES")
        found = []
        for member, instant in zip(reply[::2], reply[1::2], strict=True):
            game_id, letter, question = due_member(member)
            if letter == "d" and seat_of_due(question) != SYSTEM:
                found.append((game_id, Due(int(float(instant)), question, "expire")))
        return found

    def put_off(self, game_id: GameId, question: str, by: int) -> Receipt:
        """Submit ``put_off`` for a deadline, once for each question and outage, instead of its ``expire``."""
        names, shared = self._keys.game(game_id), self._keys.partition(game_id)
        where = [names.meta, names.commands, names.ids, shared.ready, shared.leases, shared.due]
        with reading(game_id):
            status, wake, id_ = self._wire.call(PUT_OFF, where, [game_id, question, by])
        return Receipt(status.decode(), id_.decode(), None, bool(wake))

    def stalled(self) -> Sequence[GameId]:
        replies = self._wire.all([("SMEMBERS", shared.stalled) for shared in self._keys.partitions])
        return sorted(game.decode() for reply in replies for game in reply)

    def mark(self, game_id: GameId, mark: Mark | None) -> None:
        """Quarantine a game; with None, release it."""
        name = self._keys.partition(game_id).marks
        if mark is None:
            self._wire.one("HDEL", name, game_id)
        else:
            self._wire.one("HSET", name, game_id, canonical(plain(mark)))

    def marked(self, game_id: GameId) -> Mark | None:
        """Why a game is quarantined; None if it is not."""
        packed = self._wire.one("HGET", self._keys.partition(game_id).marks, game_id)
        return None if packed is None else mark_in(packed)

    def marks(self, near: GameId | None = None) -> Mapping[GameId, Mark]:
        """The quarantined games; with ``near`` only those of that game's partition."""
        found = {}
        where = self._keys.partitions if near is None else (self._keys.partition(near),)
        for reply in self._wire.all([("HGETALL", shared.marks) for shared in where]):
            for game, packed in zip(reply[::2], reply[1::2], strict=True):
                found[game.decode(errors="replace")] = mark_in(packed)
        return dict(sorted(found.items()))

    def census(self) -> Mapping[str, int]:
        """Numbers of ``ready``, ``claimed``, ``stalled`` and quarantined games (by code), and of deadlines (``due``).

        ``overdue`` is the age in milliseconds of the oldest deadline that has passed without being submitted.
        """
        names = ("ready", "leases", "due")
        commands = [("ZCARD", getattr(shared, name)) for shared in self._keys.partitions for name in names]
        first = [("ZRANGE", shared.due, 0, 0, "WITHSCORES") for shared in self._keys.partitions]
        replies = self._wire.all([*commands, *first])
        counted, oldest = replies[: len(commands)], [int(float(each[1])) for each in replies[len(commands) :] if each]
        sums = {name: sum(counted[place :: len(names)]) for place, name in enumerate(names)}
        return {
            "ready": sums["ready"],
            "claimed": sums["leases"],
            "due": sums["due"],
            "overdue": max(0, self.now() - min(oldest)) if oldest else 0,
            "stalled": len(self.stalled()),
            **counted_marks(self.marks()),
        }

    def waiting(self) -> Sequence[Waiting]:
        """The oldest command of games with waiting commands, including each partition's longest waiting games.

        Leaves out games that were put off (`release` with ``later``) and have had no commit since.
        """
        commands: list[tuple[Any, ...]] = []
        for shared in self._keys.partitions:
            commands += [("ZRANGE", name, 0, _LOOKED_AT - 1) for name in (shared.ready, shared.leases)]
            commands.append(("SMEMBERS", shared.aside))
        replies = self._wire.all(commands)
        games = [
            game.decode()
            for place in range(0, len(replies), 3)
            for found in replies[place : place + 2]
            for game in islice((game for game in found if game not in replies[place + 2]), _WATCHED)
        ]
        oldest = self._wire.many([("XRANGE", self._keys.game(game).commands, "-", "+", "COUNT", 1) for game in games])
        now = self.now() if games else 0
        return [
            Waiting(game, entry.decode(), max(0, now - asked_at(fields)))
            for game, entries in zip(games, oldest, strict=True)
            for entry, fields in (
                [] if isinstance(entries, ResponseError) else entries
            )  # its settle worker quarantines it
        ]

    def lock(self, name: str, milliseconds: int) -> bool:
        """Acquire a lock that expires; True if it was free, or is ours (then it is extended).

        A lock that ends later than its length allows, because the clock was set back, counts as free.
        """
        return acquire(self._wire, keys.lock(name), self.holder, milliseconds)

    def clock_back(self, partition: int, by: int) -> int:
        """Move deadlines of bots, and deliveries, forward by ``by`` milliseconds, because the clock was set back.

        Deadlines of players stay. Returns how many bot deadlines were moved.
        """
        shared = self._keys.partitions[partition]
        return int(self._wire.call(CLOCK_BACK, [shared.due, shared.outbox], [by]))

    def beat(self, name: str) -> int | None:
        """Store a heartbeat; returns the instant of the previous one, if there was one."""
        before: int | None = self._wire.call(BEAT, [keys.beat(name)])
        return before

    def last_beat(self, name: str) -> int | None:
        """The instant of the last heartbeat, or None."""
        before = self._wire.one("GET", keys.beat(name))
        return None if before is None else int(before)


_INSTANT = re.compile(rb"\d{1,13}")
"""Milliseconds, for more than two centuries."""


_ENTRIES = ((b"d", b"t"), (b"d", b"t", b"n"))
"""The fields of an entry: document, instant, and in lists the number of commands that are left."""


def asked_at(fields: Sequence[bytes]) -> int:
    """When an entry of a command stream was added; 0 if no release wrote the entry."""
    return int(fields[3]) if (*fields[::2],) in _ENTRIES and _INSTANT.fullmatch(fields[3]) else 0


_DUE = re.compile(rb"([A-Za-z0-9_-]{1,64}) ([dbt]) (\d+:\d+:\d+(?:@\d+)?)")


def submission_in(fields: Sequence[bytes]) -> dict[str, Any] | None:
    """The submission document of a command stream's entry; None if no release wrote the entry."""
    if (*fields[::2],) not in _ENTRIES or not asked_at(fields):
        return None
    try:
        document = orjson.loads(fields[1])
        fits = (
            isinstance(document["id"], str)
            and isinstance(document["seat"], int)
            and isinstance(document["command"]["type"], str)
        )
        fits = fits and {"expected", "credential"} <= document.keys() and lists.is_sound(document)
    except (orjson.JSONDecodeError, TypeError, KeyError):
        return None
    return {**document, "asked_at": asked_at(fields)} if fits else None


def due_member(member: bytes) -> tuple[GameId, str, str]:
    """Game, letter and question of an entry of the due set; three empty strings if no release wrote the entry."""
    found = _DUE.fullmatch(member)
    return (GameId(""), "", "") if found is None else (GameId(found[1].decode()), found[2].decode(), found[3].decode())


def mark_in(packed: bytes) -> Mark:
    """The stored mark; an unreadable one still quarantines the game."""
    try:
        document = orjson.loads(packed)
        code, release, why = (str(document[name]) for name in ("code", "release", "why"))
    except (orjson.JSONDecodeError, TypeError, LookupError):
        return Mark("quarantined", "", "its mark cannot be read")
    return Mark("needs-release" if code == "needs-release" else "quarantined", release, why)
