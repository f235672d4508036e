"""Harrek the Berserk on his way to Sog City (7.2, FRO-D43, FRO-D44)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.queries import Query, SpecialRetreat
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.episode_api.socket import Episode, Fighter
from domain.games.fronela.phases.scoring import score
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import NOBODY, FronelaState, Person
from domain.kernel.errors import RuleViolation
from domain.kernel.shape import catalogue
from domain.kernel.terms import OneOf, Option, Seat

HARREK = "harrek"
RIDE = "harrek_ride"


@dataclass(frozen=True, slots=True)
class Ride:
    """Ride one area with Harrek (``via`` is empty) or two, toward Sog City."""

    to: str
    via: str


class NotNearer(RuleViolation):
    """Harrek can only move closer to Sog City, through areas on his way."""

    code = "not-nearer"
    rule = "FRO-D43"


def _facts(state: FronelaState) -> Mapping[str, Any]:
    return state.tables.episodes[HARREK]


def _him(state: FronelaState) -> Person | None:
    """Harrek; None if he is not on the map."""
    person = state.persons.get(HARREK)
    return None if person is None or person.gone else person


def rides(state: FronelaState) -> Mapping[str, tuple[str, ...]]:
    """The areas where Harrek can end this turn, each with the areas through which he can reach it."""
    him = _him(state)
    assert him is not None
    return _rides(state.scenario, him.area)


@lru_cache(maxsize=256)
def _rides(scenario: str, area: str) -> Mapping[str, tuple[str, ...]]:
    tables = SCENARIOS[scenario]
    facts = tables.episodes[HARREK]
    far = tables.near(facts["goal"], len(tables.land))
    near = tables.near(area, facts["steps"])
    via_by_area = {}
    for to in near:
        if far[to] < far[area]:
            direct = ("",) if to in tables.areas[area].adjacent else ()
            between = (via for via in near if near[via] == 1 and via != to and to in tables.areas[via].adjacent)
            via_by_area[to] = (*direct, *between)
    return via_by_area


def ride(decision: FronelaDecision, _: str) -> None:
    him = _him(decision.state)
    if him is not None and rides(decision.state):
        decision.ask(seat_of(decision.state, HARREK), RIDE, "FRO-D43", nation=HARREK, area=him.area)


class Riding(FronelaQuestionKind):
    commands = (Ride,)

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [Option("ride", {"to": to}, (OneOf("via", via),)) for to, via in rides(state).items()]

    def usual(self, state: FronelaState) -> Any:
        far = state.tables.near(_facts(state)["goal"], len(state.tables.land))
        ways = rides(state)
        to = min(ways, key=lambda area: far[area])
        return Ride(to, ways[to][0])

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        ways = rides(decision.state)
        him = _him(decision.state)
        assert him is not None
        if command.to not in ways:
            raise NotNearer("Harrek rides one or two areas, and only toward Sog City.", field="to", areas=list(ways))
        if command.via not in ways[command.to]:
            raise NotNearer(
                "This area is not on his way. Leave it empty to ride straight to the next area.",
                field="via",
                areas=list(ways[command.to]),
            )
        decision.happen(ev.PersonMoved(HARREK, him.area, command.to, command.via or him.area))
        decision.close()


def arrives(decision: FronelaDecision, _: str) -> None:
    """Alone in Sog City, Harrek scores for his heirs and leaves the game (FRO-D44)."""
    state, him = decision.state, _him(decision.state)
    facts = _facts(state)
    if him is None or him.area != facts["goal"] or state.board.get(him.area):
        return
    heirs = facts["heirs"]
    decision.happen(score(state, heirs, HARREK, "FRO-D34", facts["points"], him.area))
    decision.happen(ev.PersonRemoved(HARREK, him.area))
    played, to_come = state.order[: state.place + 1], state.order[state.place + 1 :]
    rest = tuple(slot for slot in to_come if slot not in (HARREK, heirs))
    order = (*played, *((heirs,) if heirs in to_come else ()), *rest)
    decision.happen(ev.OrderChanged(order, state.place))


class Berserk(Fighter):
    def dice(self, state: FronelaState) -> tuple[int, int]:
        return _facts(state)["dice"], _facts(state)["modifier"]

    def foes(self, state: FronelaState) -> Mapping[str, tuple[str, ...]]:
        """All nations in his area except the Bears; empty after he was driven back."""
        him = _him(state)
        if him is None or not him.before:
            return {}
        foes = tuple(nation for nation in sorted(state.board.get(him.area, NOBODY)) if nation != _facts(state)["host"])
        return {him.area: foes} if foes else {}

    def suffer(self, decision: FronelaDecision, hits: int) -> None:
        """Enough hits in one round drive him back. Fewer have no effect."""
        him, battle = _him(decision.state), decision.state.battle
        assert him is not None
        assert battle is not None
        decision.happen(ev.HitsSpent(HARREK, battle.area, hits))
        if hits >= _facts(decision.state)["hits"]:
            decision.happen(ev.PersonMoved(HARREK, him.area, him.before, ""))


class Harrek(Episode):
    key = HARREK
    clause = "FRO-D43"
    queries: ClassVar = (SpecialRetreat,)
    commands: ClassVar = catalogue(Ride)
    questions: ClassVar = {RIDE: Riding()}
    steps: ClassVar = {RIDE: ride, "harrek_arrives": arrives, "harrek_appears": lambda decision, _: _appears(decision)}
    names: ClassVar = {HARREK: "Harrek the Berserk"}
    sentences: ClassVar = {
        "person_placed.harrek": "Harrek the Berserk comes to {area:place}.",
        "person_moved.harrek": "Harrek the Berserk rides from {area:place} to {to:place}.",
        "person_moved.harrek_back": "Harrek the Berserk is driven back from {area:place} to {to:place}.",
        "person_removed.harrek": "Harrek the Berserk takes what he came for in {area:place} and leaves.",
    }

    def plays(self, state: FronelaState, slot: str) -> bool:
        return slot == HARREK and _him(state) is not None

    def owner(self, state: FronelaState, slot: str) -> Seat | None:
        return state.tables.nations[self.facts(state)["heirs"]].seat if slot == HARREK else None

    def fighter(self, slot: str) -> Fighter | None:
        return Berserk() if slot == HARREK else None

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        if slot == HARREK:
            return (RIDE, "combat", "harrek_arrives")
        if slot == self.facts(state)["host"] and HARREK not in state.persons:
            at = items.index("new_units") + 1
            return (*items[:at], "harrek_appears", *items[at:])
        return items

    def after_turn(self, decision: FronelaDecision, slot: str) -> None:
        """Harrek acts after every nation turn that was not skipped, unless his own slot is next."""
        state = decision.state
        following = state.order[state.place + 1 : state.place + 2]
        if slot == HARREK or _him(state) is None or following == (HARREK,):
            return
        at = state.place + 1
        decision.happen(ev.OrderChanged((*state.order[:at], HARREK, *state.order[at:]), state.place))

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case SpecialRetreat(_, _, attacker) if attacker == HARREK:
                return True
        return value


def _appears(decision: FronelaDecision) -> None:
    decision.happen(ev.PersonPlaced(HARREK, _facts(decision.state)["area"]))
