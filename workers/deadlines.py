"""When questions are due, and what is to be submitted then."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from domain.play import Clock, Position, no_clock
from domain.table import PLAYER
from domain.terms import SYSTEM, Question
from service.calendar import HOUR, Calendar
from service.store.ports import Due


def clock_of(pace: Mapping[str, Any], started: int) -> Clock:
    """The clock of the pace of a game that started at an instant (milliseconds of Unix time).

    ``{"mode": "free"}`` has no deadlines, ``{"mode": "per_question", "hours": n}`` gives each question so long; in both
    SYSTEM is asked to answer at once. In ``{"mode": "calendar", "day", "at", "zone"}`` days end at instants that are fixed
    from the start (`service.calendar`), and SYSTEM turns the day then. In any pace ``"bot_seconds": n`` makes bots wait so
    long after the last commit, so that they can be watched. Raises `ValueError` for a pace that this release does not
    know.
    """
    match pace.get("mode", "free"):
        case "free":
            return no_clock
        case "per_question":
            patience = pace["hours"] * HOUR

            def per_question(question: Question, at: int) -> int:
                return at if question.seat == SYSTEM else at + patience

            return per_question
        case "calendar":
            calendar = Calendar.of(pace, started)
            return lambda question, _at: calendar.due(question)
        case unknown:
            raise ValueError(f"there is no pace {unknown!r}")


def waits_out_outages(pace: Mapping[str, Any]) -> bool:
    """Whether deadlines are put off that passed while nobody could answer; those of a calendar are fixed."""
    return pace.get("mode") != "calendar"


def due_of(position: Position, given_up: Collection[str] = ()) -> tuple[Due, ...]:
    """What SYSTEM is to submit for the questions that stand, except those it has been refused.

    Bots come first, then what is due first: the order in which the store finds them one by one, so that what is made
    up after an outage comes to the same.
    """
    if position.table is None:
        return ()
    due = []
    wait = position.table.pace.get("bot_seconds", 0) * 1000
    for asked in position.asked:
        if asked.id in given_up:
            continue
        again = f"{asked.id}@{asked.acted}" if asked.acted else asked.id
        if asked.question.seat == SYSTEM:
            due.append(Due(position.at if asked.due is None else asked.due, again, "expire"))
        elif position.table.controller(asked.question.seat) != PLAYER:
            due.append(Due(position.at + wait, again, "act"))
        elif asked.due is not None:
            due.append(Due(asked.due, again, "expire"))
    return tuple(sorted(due, key=lambda each: (each.what, each.when, each.question)) if len(due) > 1 else due)
