"""Time in Redis: its clock, what is due, locks, heartbeats, and quarantine marks."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from secrets import token_hex
from typing import Any

import orjson
from redis.exceptions import ResponseError

from domain import RELEASE
from domain.terms import SYSTEM, GameId
from service.process.child_process import PROCESS
from service.process.figures.catalogue import DUE as LATE
from service.store.chain import reading
from service.store.codec import canonical, plain
from service.store.ports.waiting import Due, Mark, Receipt, Waiting, counted_marks
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.log.watch import Watch
from service.store.shared import lists
from service.store.shared.system import due_document, seat_of_due

SWEEP, DUE, PUT_OFF = Script("sweep"), Script("due"), Script("put_off")
LOCK, BEAT = Script("lock"), Script("beat")
CLOCK_BACK, WAITING = Script("clock_back"), Script("waiting")

SWEPT = "pump"
"""The heartbeat of sweeps. It keeps its old name, so that an update counts as an outage."""

USUAL = 3000
"""Milliseconds that a lease lasts at most which does not say how long it does: as long as workers take them for."""
_WATCHED = 8
"""Games of each partition whose oldest commands are looked at, of the ready ones and of those with a worker."""


class Schedule:
    """Time: what is due, which games are quarantined, locks and heartbeats."""

    def __init__(self, wire: Wire, names: Keys, owing: set[int]) -> None:
        """``owing`` is shared with the outbox: partitions with deliveries that are due."""
        self._wire, self._keys, self._owing = wire, names, owing
        self._owner = os.environ.get(PROCESS) or token_hex(8)
        self._watch = Watch()

    @property
    def holder(self) -> str:
        """The name under which this process holds leases and locks. It contains the process id, since a fork copies the store."""
        return f"{self._owner}-{os.getpid()}"

    def partition(self, game_id: GameId) -> int:
        """The partition a game belongs to: what `claim`, `sweep` and a wake go by."""
        return self._keys.number(game_id)

    def now(self) -> int:
        """The store's clock: milliseconds of Unix time. No other clock decides anything."""
        return self._wire.now()

    def sweep(self, partition: int) -> int:
        """Re-mark games whose lease ran out and submit what is due now.

        Answers how many games a worker must be woken for: those that became ready, and those whose wake seems lost
        because they have been ready for a second.
        """
        return self.sweep_all([partition])[partition]

    def sweep_all(self, partitions: Sequence[int]) -> Mapping[int, int]:
        """The same for several partitions at once: the answer of each."""
        shared = [self._keys.partitions[number] for number in partitions]
        there = self._wire.all([("EXISTS", each.ready, each.leases, each.due, each.outbox) for each in shared])
        busy = [number for number, found in zip(partitions, there, strict=True) if found]
        for number in set(partitions).difference(busy):
            self._watch.saw(number, ())
        replies = self._wire.calls(SWEEP, [self._sweeping(number) for number in busy])
        swept = {number: self._swept(number, reply) for number, reply in zip(busy, replies, strict=True)}
        return {number: swept.get(number, 0) for number in partitions}

    def _sweeping(self, partition: int) -> tuple[Sequence[str], Sequence[Any]]:
        """Keys and arguments of the script."""
        shared = self._keys.partitions[partition]
        unmoved = [part for lease in self._watch.unmoved(partition) for part in lease]
        where = [shared.ready, shared.leases, shared.due, shared.holders, shared.claims, shared.outbox]
        return where, [USUAL, *unmoved]

    def _swept(self, partition: int, found: Sequence[Any]) -> int:
        """Submit what is due by the script's answer; for how many games a worker must be woken."""
        shared = self._keys.partitions[partition]
        lapsed, waiting, members, left, owed = found
        if owed:
            self._owing.add(partition)
        self._watch.saw(partition, zip(left[::3], left[1::3], map(int, left[2::3]), strict=True))
        calls = []
        for game_id, letter, question in map(due_member, members):
            if not game_id:
                continue  # `oraclewheel doctor` takes it away
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
        """What is due cannot be submitted: the game is marked, and a settle worker looks at it; the others go on."""
        mark = canonical(plain(Mark("quarantined", RELEASE, f"what is due there cannot be submitted: {error}")))
        shared = self._keys.partitions[partition]
        if self._wire.one("HSETNX", shared.marks, game_id, mark):
            self._wire.one("ZADD", shared.ready, "NX", self.now(), game_id)

    def awaited(self, partitions: Collection[int], within: int) -> Sequence[tuple[GameId, str]]:
        """The questions (`Due.question`) that bots are to have thought over within so many milliseconds from now."""
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
        """Games marked ``stalled``."""
        replies = self._wire.all([("SMEMBERS", shared.stalled) for shared in self._keys.partitions])
        return sorted(game.decode() for reply in replies for game in reply)

    def mark(self, game_id: GameId, mark: Mark | None) -> None:
        """Note that a game is set aside; with None that it is not any more."""
        name = self._keys.partition(game_id).marks
        if mark is None:
            self._wire.one("HDEL", name, game_id)
        else:
            self._wire.one("HSET", name, game_id, canonical(plain(mark)))

    def marked(self, game_id: GameId) -> Mark | None:
        """Why a game is set aside; None if it is not."""
        packed = self._wire.one("HGET", self._keys.partition(game_id).marks, game_id)
        return None if packed is None else mark_in(packed)

    def marks(self, near: GameId | None = None) -> Mapping[GameId, Mark]:
        """The games that are set aside; with ``near`` only those of that game's partition."""
        found = {}
        where = self._keys.partitions if near is None else (self._keys.partition(near),)
        for reply in self._wire.all([("HGETALL", shared.marks) for shared in where]):
            for game, packed in zip(reply[::2], reply[1::2], strict=True):
                found[game.decode(errors="replace")] = mark_in(packed)
        return dict(sorted(found.items()))

    def census(self) -> Mapping[str, int]:
        """How many games are ``ready``, ``claimed`` and ``stalled``, and how many deadlines are ``due`` some time.

        ``overdue`` is for how many milliseconds the oldest of these has been up without being submitted. Besides how many
        games are set aside, by the code of their marks.
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
        """The oldest command of games in which some wait, the longest waiting games of each partition among them.

        Games that were put aside (`release` with ``later``) and have had no commit since are left out.
        """
        calls = [([shared.ready, shared.leases, shared.aside], [_WATCHED]) for shared in self._keys.partitions]
        games = [game.decode() for found in self._wire.calls(WAITING, calls) for game in found]
        oldest = self._wire.many([("XRANGE", self._keys.game(game).commands, "-", "+", "COUNT", 1) for game in games])
        now = self.now() if games else 0
        return [
            Waiting(game, entry.decode(), max(0, now - asked_at(fields)))
            for game, entries in zip(games, oldest, strict=True)
            for entry, fields in (
                [] if isinstance(entries, ResponseError) else entries
            )  # its settle worker sets it aside
        ]

    def lock(self, name: str, milliseconds: int) -> bool:
        """Take a lock that frees itself; True if it was free (or is ours, and is prolonged).

        One that has longer to go than it can last, because the clock was set back, is free.
        """
        return bool(self._wire.call(LOCK, [keys.lock(name)], [self.holder, milliseconds]))

    def clock_back(self, partition: int, by: int) -> int:
        """The clock was set back by so many milliseconds: what bots wait for is brought forward by as much.

        What players were promised stays. Answers how much was brought forward.
        """
        shared = self._keys.partitions[partition]
        return int(self._wire.call(CLOCK_BACK, [shared.due, shared.outbox], [by]))

    def beat(self, name: str) -> int | None:
        """Leave a sign of life; the instant of the previous one, if there was one."""
        before: int | None = self._wire.call(BEAT, [keys.beat(name)])
        return before

    def last_beat(self, name: str) -> int | None:
        """The instant of the last sign of life."""
        before = self._wire.one("GET", keys.beat(name))
        return None if before is None else int(before)


_INSTANT = re.compile(rb"\d{1,13}")
"""Milliseconds, for more than two centuries."""


def asked_at(fields: Sequence[bytes]) -> int:
    """When an entry of a command stream came in; 0 for one that no release has written."""
    return int(fields[3]) if len(fields) == 4 and _INSTANT.fullmatch(fields[3]) else 0


_DUE = re.compile(rb"([A-Za-z0-9_-]{1,64}) ([dbt]) (\d+:\d+:\d+(?:@\d+)?)")


def submission_in(fields: Sequence[bytes]) -> dict[str, Any] | None:
    """The submission document of an entry of a command stream; None for anything that no release has written."""
    if len(fields) != 4 or (fields[0], fields[2]) != (b"d", b"t") or not asked_at(fields):
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
    """Game, letter and question of an entry of the due set; three empty texts for one that no release has written."""
    found = _DUE.fullmatch(member)
    return (GameId(""), "", "") if found is None else (GameId(found[1].decode()), found[2].decode(), found[3].decode())


def mark_in(packed: bytes) -> Mark:
    """The mark that was noted; whatever cannot be read sets the game aside all the same."""
    try:
        document = orjson.loads(packed)
        code, release, why = (str(document[name]) for name in ("code", "release", "why"))
    except (orjson.JSONDecodeError, TypeError, LookupError):
        return Mark("quarantined", "", "its mark cannot be read")
    return Mark("needs-release" if code == "needs-release" else "quarantined", release, why)
