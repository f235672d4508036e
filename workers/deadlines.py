"""What is to be submitted for the questions that stand, and when."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from domain.play.record import Position
from domain.play.table import PLAYER
from domain.terms import SYSTEM
from service.pace.clock import bot_wait
from service.store.ports.waiting import Due


def due_of(position: Position, given_up: Collection[str] = ()) -> tuple[Due, ...]:
    """What SYSTEM is to submit for the questions that stand, except those it has been refused.

    Bots come first, then what is due first: the order in which the store finds them one by one, so that what is made
    up after an outage comes to the same.
    """
    if position.table is None:
        return ()
    due = []
    wait = bot_wait(position.table.pace)
    for asked in position.asked:
        if asked.id in given_up:
            continue
        due_id = f"{asked.id}@{asked.acted}" if asked.acted else asked.id
        if asked.question.seat == SYSTEM:
            due.append(Due(position.at if asked.due is None else asked.due, due_id, "expire"))
        elif position.table.controller(asked.question.seat) != PLAYER:
            due.append(Due(position.at + wait, due_id, "act"))
        elif asked.due is not None:
            due.append(Due(asked.due, due_id, "expire"))
    return tuple(sorted(due, key=lambda each: (each.what, each.when, each.question)) if len(due) > 1 else due)


def put_offs_in(pending: Sequence[tuple[str, Mapping[str, Any]]]) -> list[tuple[int, str]]:
    """Deadlines that waiting submissions will put off, as (place of the submission, question id): they must not pass before."""
    of_system = [
        (place, document["command"]) for place, (_, document) in enumerate(pending) if document["seat"] == SYSTEM
    ]
    return [(place, command["question"]) for place, command in of_system if command["type"] == "put_off"]
