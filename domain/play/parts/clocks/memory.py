"""What a table remembers of its clocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from domain.play import table
from domain.terms import HOUR, Seat

MOST_HOURS = 8760
"""A year: no reserve is larger."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A reason for which clocks stand."""

    seat: Seat | None
    """None for the whole table."""
    why: str
    since: int


@dataclass(frozen=True, slots=True)
class ClocksMemory:
    """How the clocks of a table stand. Tuples by seat have seat 1 first; lengths are milliseconds."""

    mode: str
    giving: int
    """How many hours others may give for one question."""
    gifts: tuple[tuple[str, int], ...]
    """By seat: the last question that time was given for, and how many hours in all."""
    bank: int = 0
    increment: int = 0
    reserves: tuple[int, ...] = ()
    """By seat, what is left."""
    spending: tuple[str, ...] = ()
    """By seat: the question that uses up the reserve, if one does."""
    standing: tuple[Stop, ...] = ()
    stopped: int | None = None
    """Since when the clocks of the whole table stand."""
    stops: tuple[tuple[int, int], ...] = ()
    """From when to when those of the whole table have stood."""


def put(values: tuple[Any, ...], seat: Seat, value: Any) -> tuple[Any, ...]:
    """Values by seat, with another for one of them."""
    return (*values[: seat - 1], value, *values[seat:])


def begun(memory: ClocksMemory, event: table.GameBegun) -> ClocksMemory:
    """How the clocks of a game stand when it begins."""
    pace, seats = event.pace, len(event.controllers)
    bank, increment = _milliseconds(pace, "bank_hours"), _milliseconds(pace, "increment_hours")
    mode = pace.get("mode", "free")
    reserves, spending = ((bank,) * seats, ("",) * seats) if bank else ((), ())
    return replace(memory, mode=mode, bank=bank, increment=increment, reserves=reserves, spending=spending)


def stop_of(memory: ClocksMemory, seat: Seat | None, why: str) -> Stop | None:
    """The stop of a seat or of the table that a word has."""
    return next((each for each in memory.standing if (each.seat, each.why) == (seat, why)), None)


def halts(memory: ClocksMemory) -> Mapping[Seat, int]:
    """The seats whose clocks stand, with the instant since when."""
    stand: dict[Seat, int] = {}
    for each in memory.standing:
        if each.seat is not None:
            stand[each.seat] = min(each.since, stand.get(each.seat, each.since))
    if memory.stopped is not None:
        for seat in map(Seat, range(len(memory.gifts) + 1)):
            stand[seat] = min(memory.stopped, stand.get(seat, memory.stopped))
    return stand


def gone_on(memory: ClocksMemory, seat: Seat | None, why: str, at: int) -> ClocksMemory:
    """How they stand after the end of a stop."""
    left = tuple(each for each in memory.standing if (each.seat, each.why) != (seat, why))
    if memory.stopped is None or any(each.seat is None for each in left):
        return replace(memory, standing=left)
    return replace(memory, standing=left, stopped=None, stops=(*memory.stops, (memory.stopped, at)))


def _milliseconds(pace: Mapping[str, Any], name: str) -> int:
    """So many hours of a pace as it stands in a log, which anybody may have written."""
    hours = pace.get(name, 0) if pace.get("mode") == "per_question" else 0
    return hours * HOUR if type(hours) is int and 0 < hours <= MOST_HOURS else 0
