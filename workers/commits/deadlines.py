"""What is to be submitted for the questions that stand, and when."""

from __future__ import annotations

from collections.abc import Collection

from domain.play.record import Position
from domain.play.table import LEFT, PLAYER
from domain.terms import SYSTEM
from service.pace.clock import bot_wait
from service.store.ports.waiting import Due

RESUBMITTED = "again:"
"""What the ids of these submissions begin with; the first that is not refused takes the mark ``stalled`` away."""


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
        # What is submitted is so once under its id: after an answer, and for another deadline, there is another.
        moved = max(asked.acted, asked.dated)
        due_id = f"{asked.id}@{moved}" if moved else asked.id
        if asked.question.seat == SYSTEM:
            if asked.held is not None:
                continue
            due.append(Due(position.at if asked.due is None else asked.due, due_id, "expire"))
        elif (controller := position.table.controller(asked.question.seat)) == LEFT:
            due.append(Due(position.at, due_id, "expire"))
        elif controller != PLAYER:
            due.append(Due(position.at + wait, due_id, "act"))
        elif asked.due is not None:
            due.append(Due(asked.due, due_id, "expire"))
    return tuple(sorted(due, key=lambda each: (each.what, each.when, each.question)) if len(due) > 1 else due)
