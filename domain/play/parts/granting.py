"""What a part decides, and what comes of the requests that it makes of other parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from domain.errors import NotHere
from domain.play.parts import around
from domain.play.parts.part import Moment, Part
from domain.terms import Seat

_OF_REQUEST = {cls: part for part in around.PARTS.values() for cls in part.grants}


def decide(part: Part[Any], moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
    """The events of a command to a part of the table; raises `NotHere` where the game has no such part."""
    if part.key not in moment.table.memories:
        raise NotHere("This game was begun without this.")
    return granted(moment, part.decide(moment.table.memories[part.key], moment, seat, command))


def granted(moment: Moment, decided: Sequence[Any]) -> Sequence[Any]:
    """What a part has decided, with what comes of its requests of other parts in their place."""
    if not any(type(each) in _OF_REQUEST for each in decided):
        return decided
    events: list[Any] = []
    for each in decided:
        part = _OF_REQUEST.get(type(each))
        if part is None:
            events.append(each)
        elif part.key not in moment.table.memories:
            raise NotHere("This game was begun without this.")
        else:
            seen = _later(moment, events)
            events += part.grant(seen.table.memories[part.key], seen, each)
    return events


def _later(moment: Moment, events: Sequence[Any]) -> Moment:
    """The moment as the table is after events of its commit that have been decided already."""
    board = moment.table
    for event in events:
        board = around.after(board, event, moment.seq, moment.at)
    return replace(moment, position=replace(moment.position, table=board))
