"""The Blinding Eye in Golaros (7.2, FRO-D50)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.marks import HRESTOL
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.movement.naming import NoSuchUnits, by_name, name
from domain.games.fronela.phases.scoring import score
from domain.games.fronela.state import FronelaState, Group, groups
from domain.kernel.draws import Draw, draws
from domain.kernel.shape import catalogue
from domain.kernel.terms import OneOf, Option, Seat

EYE = "blinding_eye"


@dataclass(frozen=True, slots=True)
class Sacrifice:
    """Choose the unit that the Eye takes."""

    unit: str


@draws(Draw("face", "die", 6))
@dataclass(frozen=True, slots=True)
class EyeGlared:
    """The die was rolled for a nation in the area of the Eye."""

    nation: str
    area: str
    face: int
    modifier: int
    result: int
    loses: bool


def _victims(state: FronelaState) -> list[Group]:
    nation = state.tables.nations[state.turn]
    return [g for g in groups(state, state.persons[EYE].area, nation.id) if nation.units[g.kind].hits == 1]


def glare(decision: FronelaDecision, _: str) -> None:
    """Roll for a nation in the Eye's area at the end of its move phase. The Eye cannot hurt Gonn Orta."""
    state = decision.state
    if state.persons[EYE].gone or not _victims(state):
        return
    area = state.persons[EYE].area
    face = decision.dice.roll(6)
    loses = face <= state.tables.episodes[EYE]["loses_on"]
    decision.happen(EyeGlared(state.turn, area, face, 0, face, loses))
    if loses and len(_victims(state)) == 1:
        _take(decision, _victims(state)[0])
    elif loses:
        decision.ask(seat_of(state, state.turn), EYE, "FRO-D50", nation=state.turn, area=area)


def _take(decision: FronelaDecision, group: Group) -> None:
    state = decision.state
    area = state.persons[EYE].area
    decision.happen(ev.UnitsLost(state.turn, area, group.kind, 1, group.came, group.fled, "", "event", cause=EYE))


class Sacrificing(FronelaQuestionKind):
    commands = (Sacrifice,)

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [Option("sacrifice", {}, (OneOf("unit", tuple(by_name(state, _victims(state)))),))]

    def usual(self, state: FronelaState) -> Any:
        kinds = ("farmer", "soldier", "wizard", "lord")
        return Sacrifice(name(state, min(_victims(state), key=lambda g: kinds.index(g.kind) if g.kind in kinds else 0)))

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        victims = by_name(decision.state, _victims(decision.state))
        if command.unit not in victims:
            units = list(victims)
            raise NoSuchUnits("These units are not here.", rule="FRO-D50", field="unit", units=units)
        _take(decision, victims[command.unit][0])
        decision.close()


class BlindingEye(Episode):
    key = EYE
    clause = "FRO-D50"
    commands: ClassVar = catalogue(Sacrifice)
    events: ClassVar = catalogue(EyeGlared)
    sentences: ClassVar = {
        "eye_glared": "The Blinding Eye glares at {nation:folk} in {area:place}: a {face}, and no unit is lost.",
        "eye_glared.loses": "The Blinding Eye glares at {nation:folk} in {area:place}: a {face}, and one unit is lost.",
        "person_placed.blinding_eye": "The Blinding Eye opens in {area:place}.",
        "person_removed.blinding_eye": "The Blinding Eye in {area:place} is gone.",
        "units_lost.blinding_eye": "The Blinding Eye takes {units:units} of {nation:folk} in {area:place}.",
    }
    questions: ClassVar = {EYE: Sacrificing()}
    steps: ClassVar = {EYE: glare}
    names: ClassVar = {EYE: "The Blinding Eye"}
    lasting: ClassVar = (EYE,)

    def on_round_start(self, decision: FronelaDecision) -> None:
        if decision.state.round == self.facts(decision.state)["rounds"][0]:
            decision.happen(ev.PersonPlaced(EYE, self.facts(decision.state)["area"]))

    def on_round_end(self, decision: FronelaDecision) -> None:
        eye = decision.state.persons[EYE]
        if decision.state.round == self.facts(decision.state)["rounds"][1] and not eye.gone:
            decision.happen(ev.PersonRemoved(EYE, eye.area))

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        place = items.index("combat")
        return (*items[:place], EYE, *items[place:])

    def after_turn(self, decision: FronelaDecision, slot: str) -> None:
        """A nation that ends its turn there with Hrestol destroys the Eye."""
        state = decision.state
        eye, prophet = state.persons[EYE], state.persons.get(HRESTOL)
        if eye.gone or prophet is None or prophet.gone or prophet.area != eye.area:
            return
        if groups(state, eye.area, slot):
            decision.happen(ev.PersonRemoved(EYE, eye.area))
            points = self.facts(state)["points"]
            decision.happen(score(state, slot, "blinding-eye", "FRO-D34", points, eye.area))
