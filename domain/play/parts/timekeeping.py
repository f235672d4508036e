"""What the parts of a table have to do with its clocks: which of them stand, which deadlines events have moved, what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.play.parts.around import part_of_event, parts_at
from domain.play.parts.part import Part
from domain.play.record import Asked
from domain.play.table import Table
from domain.terms import QuestionId, Seat


def halts(seated: Table) -> Mapping[Seat, int]:
    """The seats whose clocks stand, with the instant since when."""
    stand: dict[Seat, int] = {}
    for part, memory in parts_at(seated, "halts"):
        stand.update(part.halts(memory))
    return stand


def stops(seated: Table) -> Sequence[tuple[int, int]]:
    """From when to when the clocks of the whole table have stood."""
    return [stop for part, memory in parts_at(seated, "stops") for stop in part.stops(memory)]


def deadlines(events: Sequence[Any]) -> Mapping[QuestionId, int]:
    """When the questions of the game are due whose deadlines these events of parts have moved."""
    return {
        question: due
        for event in events
        if (part := part_of_event(event)) is not None
        for question, due in part.deadlines(event).items()
    }


def counted(events: Sequence[Any]) -> Mapping[QuestionId, int]:
    """The lengths of time by the clock that stand in these events of parts, by the question they were counted for."""
    return {
        question: length
        for event in events
        if (part := part_of_event(event)) is not None
        for question, length in part.counted(event).items()
    }


def counts(seated: Table | None) -> bool:
    """Whether time is counted by the clock that the events of the next command need not tell."""
    return seated is not None and any(part.counts(memory) for part, memory in parts_at(seated, "counts"))


def sparing(seated: Table | None, asked: Asked) -> Part[Any] | None:
    """The part by which something else happens than the default when a question of the game has run out of time."""
    if seated is None or not seated.memories or not asked.by_game:
        return None
    return next((part for part, memory in parts_at(seated, "spares") if part.spares(memory, seated, asked)), None)


def setting_back(seated: Table) -> Sequence[tuple[Part[Any], Any]]:
    """The parts for which something follows when commits are taken back, each with its memory."""
    return list(parts_at(seated, "takes_back"))


def heeding(seated: Table) -> Sequence[tuple[Part[Any], Any]]:
    """The parts that have to be asked what follows from every command to the game, each with its memory."""
    return [(part, memory) for part, memory in parts_at(seated, "heeds") if part.heeds(memory)]
