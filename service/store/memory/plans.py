"""Plans in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import orjson

from domain.play.plans import ANY
from domain.play.record import PLAN
from domain.terms import SYSTEM, GameId, Seat, Seq
from service.store.codec import canonical, plain
from service.store.memory.shelf import Kept, LaidPlan, Shelf, ShelfGame
from service.store.ports.commits import Append
from service.store.ports.waiting import ANYWHERE, NOWHERE, Dropped, Laid, Plan
from service.store.shared import lists
from service.store.shared.plans import document_of, plan_of
from service.store.shared.system import seat_of_due


class MemoryPlans:
    """See `service.store.ports.waiting.Plans`."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def get(self, game_id: GameId, seat: Seat) -> Plan | None:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            held = None if found is None else found.plans.get(seat)
        return None if held is None else plan_of(held.document, held.at, waits=held.waits)

    def lay(self, game_id: GameId, plan: Plan, digest: str, seq: Seq, match: str = ANYWHERE) -> Laid:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            if not _fits(found, plan.seat, match):
                return "changed"
            if found is None:
                return "unknown-game"
            if found.lobby.status != "running":
                return "over" if found.lobby.status == "over" else "not-started"
            if len(found.commits) != seq:
                return "moved"
            found.plans.pop(plan.seat, None)  # who lays anew stands behind the others
            document = orjson.loads(canonical(plain(document_of(plan))))
            found.plans[plan.seat] = LaidPlan(document, digest, tuple(plan.kinds), self._shelf.now())
            return "laid"

    def drop(self, game_id: GameId, seat: Seat, match: str = ANYWHERE, *, used: bool = False) -> Dropped:
        with self._shelf.guard:
            found = self._shelf.games.get(game_id)
            if not _fits(found, seat, match):
                return "changed"
            held = None if found is None else found.plans.get(seat)
            if found is None or held is None:
                return "none"
            if not held.waits and not used:
                return "used"
            del found.plans[seat]
            return "dropped"


def _fits(found: ShelfGame | None, seat: Seat, match: str) -> bool:
    """Whether the plan that lies there is the one that is to be replaced."""
    held = None if found is None else found.plans.get(seat)
    if match in (ANYWHERE, NOWHERE):
        return match == ANYWHERE or held is None
    return held is not None and lists.list_id(held.document) == match


def forget(found: ShelfGame, seats: Iterable[Seat]) -> None:
    """The plans of these seats are gone."""
    for seat in seats:
        found.plans.pop(seat, None)


def forget_waiting(found: ShelfGame) -> None:
    """The plans that are still to be played are gone."""
    forget(found, [seat for seat, held in found.plans.items() if held.waits])


def planning(found: ShelfGame, last: Append) -> Collection[Seat]:
    """The seats for whose question a plan waits, or has still something to say: their deadlines come after it."""
    left = last.left if last.follows is None else (*last.left, last.follows)
    kinds = dict(last.asked)
    waiting = [seat for seat, held in found.plans.items() if held.waits and _waits_for(held, kinds.get(seat))]
    return {*waiting, *(Seat(each["seat"]) for each in left if PLAN in each)}


def _waits_for(held: LaidPlan, kind: str | None) -> bool:
    return kind is not None and (ANY in held.kinds or kind in held.kinds)


def comes_after(document: Mapping[str, Any], seats: Collection[Seat]) -> bool:
    """Whether what SYSTEM submits is the deadline of a question to one of these seats."""
    command = document["command"]
    return command["type"] == "expire" and seat_of_due(command["question"]) in seats


def play(shelf: Shelf, found: ShelfGame, last: Append, asked_at: int) -> bool:
    """Put the plan whose question stands into the line, as append.lua does; whether one was thrown away instead."""
    kinds, gone = dict(last.asked), False
    for seat, held in list(found.plans.items()):
        if not held.waits or not _waits_for(held, kinds.get(seat)):
            continue
        if any(each["seat"] == SYSTEM or lists.LIST in each for each in found.commands.values()):
            break
        id_ = lists.list_id(held.document)
        if found.lobby.chairs[seat - 1].holder != held.document[PLAN]["player"]:
            forget(found, [seat])
            gone = True
            continue
        found.plans[seat] = replace(held, waits=False)
        if id_ is not None and id_ not in found.ids:
            found.ids[id_] = Kept(held.digest, count=1 + lists.left_in(held.document))
            shelf.put(found, held.document, asked_at=asked_at)
            break
    return gone
