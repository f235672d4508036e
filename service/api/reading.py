"""Reading history from the log in bites: so many commits at a time, told to one reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.terms import Seat
from service.api.apart import Desk
from service.api.auth import Guest
from service.projections.facts import Facts
from service.projections.history import entries
from service.projections.narration import Narrator
from service.projections.planned import Plan

BITE = 128
"""Commits read at a time."""

MOST_MISSED = 100
"""Entries that a stale sender is told."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some history."""

    entries: list[Mapping[str, Any]]
    read_to: int
    """The last commit looked at, shown or not: where the next page begins."""
    more: bool
    """Whether there may be more."""


def page(
    desk: Desk, facts: Facts, seat: Seat | None, narrator: Narrator, after: int, limit: int, bites: int = 64
) -> Page:
    """Up to ``limit`` entries after a commit; whoever is shown little of a long game gets less in one page."""
    told: list[Mapping[str, Any]] = []
    plan = Plan(desk.store.log, facts)
    for _ in range(bites):
        count, bite = 0, min(BITE, limit - len(told))
        commits = desk.store.log.commits(facts.id, after + 1, after + bite)
        for seq, entry in entries(facts.rules, commits, seat, narrator, plan):
            count, after = count + 1, seq
            if entry is not None:
                told.append(entry)
            if len(told) == limit:
                return Page(told, after, more=True)
        if count < bite:
            return Page(told, after, more=False)
    return Page(told, after, more=True)


def read(guest: Guest, seat: Seat | None, after: int, limit: int) -> Page:
    """A page for a guest, read where it holds up nobody."""
    narrator = guest.room.narrator
    return guest.house.compute(guest.lobby.id, lambda desk, facts: page(desk, facts, seat, narrator, after, limit))


def news_since(guest: Guest, seat: Seat, after: int) -> list[Mapping[str, Any]]:
    """The commits that a seat missed since it last looked, at most a hundred."""
    return read(guest, seat, after, MOST_MISSED).entries
