"""The table's memory of its clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.kernel import lifecycle
from domain.kernel.record import KEPT, NO_COMMIT
from domain.kernel.terms import HOUR, Seat, Seq

MOST_HOURS = 8760
"""A year: the maximum reserve."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A reason for stopped clocks."""

    seat: Seat | None
    """None for the whole table."""
    why: str
    since: int


@dataclass(frozen=True, slots=True)
class ReserveEffect:
    """The effect of a commit on a seat's reserve."""

    seq: Seq
    seat: Seat
    used: int = 0
    """Milliseconds. Used time is never given back."""
    added: int = 0
    """Time added for an answer that is not undone. A full reserve may not have had room for all of it."""
    spent: str = ""
    """The question that used the reserve until then, if any."""
    began: Seq = NO_COMMIT
    """The commit since which that question used the reserve."""
    first: Seq = NO_COMMIT
    """If answers are undone: the first undone commit."""


@dataclass(frozen=True, slots=True)
class ClocksMemory:
    """The state of a table's clocks. Tuples by seat have seat 1 first; durations are milliseconds."""

    mode: str
    giving: int
    """Maximum hours that others may give for one question."""
    gifts: tuple[tuple[str, int], ...]
    """By seat: the last question that time was given for, and the total hours."""
    bank: int = 0
    increment: int = 0
    reserves: tuple[int, ...] = ()
    """By seat, the remaining reserve."""
    spending: tuple[str, ...] = ()
    """By seat: the question that uses the reserve, if any."""
    standing: tuple[Stop, ...] = ()
    stopped: int | None = None
    """When the clocks of the whole table were stopped, if they are."""
    stops: tuple[tuple[int, int], ...] = ()
    """Start and end of each past stop of the whole table's clocks."""
    sets_back: bool = False
    """Whether time added by answers is removed when they are undone (`domain.kernel.lifecycle.RULES`).

    Needed for the fields below.
    """
    began: tuple[Seq, ...] = ()
    """By seat: the commit since which the question of ``spending`` uses the reserve."""
    changes: tuple[ReserveEffect, ...] = ()
    """Changes by commits that can still be undone, oldest first."""
    before: tuple[int, ...] = ()
    """By seat, the reserve before these changes."""
    eased: tuple[Seq, ...] = ()
    """By seat: the last commit that asked a question again with more time than was left (`TimeCounted`); 0 for none.

    Empty if time is not counted like this.
    """


def put(values: tuple[Any, ...], seat: Seat, value: Any) -> tuple[Any, ...]:
    """Values by seat, with a new value for one of them."""
    return (*values[: seat - 1], value, *values[seat:])


def begin(memory: ClocksMemory, event: lifecycle.GameBegun) -> ClocksMemory:
    """The state of a game's clocks when it begins."""
    pace, seats = event.pace, len(event.controllers)
    bank, increment = _milliseconds(pace, "bank_hours"), _milliseconds(pace, "increment_hours")
    mode = pace.get("mode", "free")
    reserves, spending = ((bank,) * seats, ("",) * seats) if bank else ((), ())
    rules = lifecycle.RULES[event.table_rules]
    eased = (NO_COMMIT,) * seats if rules.hours == "counted" and mode != "free" else ()
    after = replace(
        memory, mode=mode, bank=bank, increment=increment, reserves=reserves, spending=spending, eased=eased
    )
    if not bank or rules.reserves == "kept":
        return after
    return replace(after, sets_back=True, began=(NO_COMMIT,) * seats, before=reserves)


def spend(memory: ClocksMemory, seat: Seat, question: str, seq: Seq) -> ClocksMemory:
    """The state when a question uses the reserve of its seat."""
    after = replace(memory, spending=put(memory.spending, seat, question))
    return replace(after, began=put(memory.began, seat, seq)) if memory.sets_back else after


def with_reserve(memory: ClocksMemory, left: int, change: ReserveEffect) -> ClocksMemory:
    """The state after a change of a reserve."""
    after = replace(memory, reserves=put(memory.reserves, change.seat, left))
    if not memory.sets_back:
        return after
    old = [each for each in memory.changes if each.seq <= change.seq - KEPT]
    if old:
        seats = map(Seat, range(1, len(memory.before) + 1))
        before = tuple(reserve_of(memory, seat, standing(memory, seat, change.seq), old) for seat in seats)
        after = replace(after, before=before)
    return replace(after, changes=(*memory.changes[len(old) :], change))


def standing(memory: ClocksMemory, seat: Seat, first: Seq) -> frozenset[Seq]:
    """The commits with answers of a seat that counted before a commit: those not undone, or restored since."""
    found, last = set(), first - 1
    for change in reversed(memory.changes):
        if change.seat != seat or change.seq > last:
            continue
        if change.first:
            last = change.first - 1
        elif change.added:
            found.add(change.seq)
    return frozenset(found)


def reserve_of(
    memory: ClocksMemory, seat: Seat, stand: frozenset[Seq], changes: Sequence[ReserveEffect] | None = None
) -> int:
    """The reserve of a seat if these answers count, after all use."""
    left = memory.before[seat - 1]
    for change in memory.changes if changes is None else changes:
        if change.seat == seat:
            left = max(0, left - change.used)
            if change.seq in stand:
                left = min(memory.bank, left + change.added)
    return left


def find_stop(memory: ClocksMemory, seat: Seat | None, why: str) -> Stop | None:
    """The stop of a seat or of the table with this reason."""
    return next((each for each in memory.standing if (each.seat, each.why) == (seat, why)), None)


def stopped_seats(memory: ClocksMemory) -> Mapping[Seat, int]:
    """The seats whose clocks are stopped, with the instant of the stop."""
    stand: dict[Seat, int] = {}
    for each in memory.standing:
        if each.seat is not None:
            stand[each.seat] = min(each.since, stand.get(each.seat, each.since))
    if memory.stopped is not None:
        for seat in map(Seat, range(len(memory.gifts) + 1)):
            stand[seat] = min(memory.stopped, stand.get(seat, memory.stopped))
    return stand


def resume(memory: ClocksMemory, seat: Seat | None, why: str, at: int) -> ClocksMemory:
    """The state after the end of a stop."""
    left = tuple(each for each in memory.standing if (each.seat, each.why) != (seat, why))
    if memory.stopped is None or any(each.seat is None for each in left):
        return replace(memory, standing=left)
    return replace(memory, standing=left, stopped=None, stops=(*memory.stops, (memory.stopped, at)))


def _milliseconds(pace: Mapping[str, Any], name: str) -> int:
    """Hours of a pace in a log, as milliseconds. The value is untrusted."""
    hours = pace.get(name, 0) if pace.get("mode") == "per_question" else 0
    return hours * HOUR if type(hours) is int and 0 < hours <= MOST_HOURS else 0
