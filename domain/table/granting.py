"""Decisions of a part, with the results of its requests to other parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from domain.kernel.errors import NotHere
from domain.kernel.terms import Seat
from domain.table import registry
from domain.table.part import Moment, Part

_OF_REQUEST = {cls: part for part in registry.PARTS.values() for cls in part.grants}


def decide(part: Part[Any], moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
    """The events of a command to a part of the table. Raises `NotHere` if the game lacks the part."""
    if part.key not in moment.table.memories:
        raise NotHere("This feature is disabled in this game.")
    return granted(moment, part.decide(moment.table.memories[part.key], moment, seat, command))


def granted(moment: Moment, decided: Sequence[Any]) -> Sequence[Any]:
    """The events that a part has decided, with its requests to other parts replaced by their results."""
    if not any(type(each) in _OF_REQUEST for each in decided):
        return decided
    events: list[Any] = []
    for each in decided:
        part = _OF_REQUEST.get(type(each))
        if part is None:
            events.append(each)
        elif part.key not in moment.table.memories:
            raise NotHere("This feature is disabled in this game.")
        else:
            seen = _later(moment, events)
            events += part.grant(seen.table.memories[part.key], seen, each)
    return events


def _later(moment: Moment, events: Sequence[Any]) -> Moment:
    """The moment with the table after events of its commit that have been decided already."""
    board = moment.table
    for event in events:
        board = registry.after(board, event, moment.seq, moment.at)
    return replace(moment, position=replace(moment.position, table=board))
