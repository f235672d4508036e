"""The effect of the table's parts on its clocks: stopped clocks, moved deadlines, follow-up events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.kernel.lifecycle import Table
from domain.kernel.record import Asked
from domain.kernel.terms import QuestionId, Seat
from domain.table.part import Part
from domain.table.registry import part_of_event, parts_at


def halts(seated: Table) -> Mapping[Seat, int]:
    """The seats whose clocks are stopped, with the instant of the stop."""
    stand: dict[Seat, int] = {}
    for part, memory in parts_at(seated, "halts"):
        stand.update(part.halts(memory))
    return stand


def stops(seated: Table) -> Sequence[tuple[int, int]]:
    """Start and end of each stop of the whole table's clocks."""
    return [stop for part, memory in parts_at(seated, "stops") for stop in part.stops(memory)]


def deadlines(events: Sequence[Any]) -> Mapping[QuestionId, int]:
    """The new deadlines of game questions that these events of parts have moved."""
    return {
        question: due
        for event in events
        if (part := part_of_event(event)) is not None
        for question, due in part.deadlines(event).items()
    }


def counted(events: Sequence[Any]) -> Mapping[QuestionId, int]:
    """Durations by the clock in these events of parts, by the question they were counted for."""
    return {
        question: length
        for event in events
        if (part := part_of_event(event)) is not None
        for question, length in part.counted(event).items()
    }


def counts(seated: Table | None) -> bool:
    """Whether time is counted by the clock that the events of the next command may omit."""
    return seated is not None and any(part.counts(memory) for part, memory in parts_at(seated, "counts"))


def sparing(seated: Table | None, asked: Asked) -> Part[Any] | None:
    """The part that replaces the default when a question of the game has timed out."""
    if seated is None or not seated.memories or not asked.by_game:
        return None
    return next((part for part, memory in parts_at(seated, "spares") if part.spares(memory, seated, asked)), None)


def setting_back(seated: Table) -> Sequence[tuple[Part[Any], Any]]:
    """The parts with follow-up events when commits are undone, each with its memory."""
    return list(parts_at(seated, "takes_back"))


def heeding(seated: Table) -> Sequence[tuple[Part[Any], Any]]:
    """The parts that must be asked for follow-up events after every command to the game, each with its memory."""
    return [(part, memory) for part, memory in parts_at(seated, "heeds") if part.heeds(memory)]
