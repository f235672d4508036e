"""The commands that SYSTEM submits for pending questions, and when."""

from __future__ import annotations

from collections.abc import Collection

from domain.kernel.lifecycle import LEFT, PLAYER
from domain.kernel.record import OpenQuestion, Position
from domain.kernel.terms import SYSTEM
from domain.table import bots, seats
from service.core.pace.clock import bot_wait
from service.store.ports.waiting import Due

RESUBMITTED = "again:"
"""Prefix of the ids of these submissions; the first that is not refused removes the mark ``stalled``."""


def due_of(position: Position, given_up: Collection[str] = (), patience: int = 0) -> tuple[Due, ...]:
    """SYSTEM's commands for the pending questions, except those it has been refused.

    ``patience`` is that of `workers.commits.search_answers.Thinking`.
    Bots come first, then the earliest deadline: the order in which the store finds them one by one, so that catching up
    after an outage gives the same result.
    """
    if position.table is None:
        return ()
    due = []
    wait = bot_wait(position.table.pace)
    for asked in position.asked:
        if asked.id in given_up:
            continue
        id_ = due_id(asked)
        if asked.question.seat == SYSTEM:
            if asked.held is not None:
                continue
            due.append(Due(position.at if asked.due is None else asked.due, id_, "expire"))
        elif (controller := position.table.controller(asked.question.seat)) == LEFT:
            due.append(Due(position.at, id_, "expire"))
        elif controller != PLAYER or thinker(position, asked) is not None:
            if patience and thinker(position, asked) is not None:
                due.append(Due(position.at + wait + patience, id_, "think"))
            else:
                due.append(Due(position.at + wait, id_, "act"))
        elif asked.due is not None:
            due.append(Due(asked.due, id_, "expire"))
    return tuple(sorted(due, key=lambda each: (each.what, each.when, each.question)) if len(due) > 1 else due)


def due_id(asked: OpenQuestion) -> str:
    """`Due.question`: submitted once per id. After an answer, or for another deadline, the id is different."""
    return f"{asked.id}@{asked.moved}" if asked.moved else asked.id


def thinker(position: Position, asked: OpenQuestion) -> str | None:
    """The name of the bot that must answer, if it uses search; otherwise None."""
    if position.table is None or not asked.by_game:
        return None
    name = seats.find_bot(position.table, asked)
    return name if bots.thinks(name) else None
