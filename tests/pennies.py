"""A tiny game that has everything the kernel must carry: secrets, a question to several seats, SYSTEM's turn, dice.

Every round all seats hide a number of pennies at once. Then SYSTEM rolls a die, and every seat that hid as many pennies as
the die shows (six counts as zero) gets a point. The first seat with ``options.points`` wins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.draws import Draw, draws
from domain.kernel.errors import RuleViolation
from domain.kernel.game import Game
from domain.kernel.game.bots import Bots
from domain.kernel.game.knowledge import Knowledge
from domain.kernel.game.presentation import Presentation
from domain.kernel.game.rules import Rules, Setup
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import SYSTEM, Integer, Option, Outcome, Question, Seat


@dataclass(frozen=True, slots=True)
class Hide:
    pennies: int


@dataclass(frozen=True, slots=True)
class Roll:
    """SYSTEM rolls the die, which ends the round."""


@draws(Draw("purses[]", "number", 3, text="and 3 more"))
@dataclass(frozen=True, slots=True)
class PenniesBegun:
    ruleset: str
    purses: Mapping[Seat, int]
    goal: int


@dataclass(frozen=True, slots=True)
class PenniesHidden:
    seat: Seat
    pennies: int


@dataclass(frozen=True, slots=True)
class HandClosed:
    seat: Seat


@draws(Draw("face", "die", 6))
@dataclass(frozen=True, slots=True)
class DieRolled:
    face: int
    shown: Mapping[Seat, int]


Command = Hide | Roll
Event = PenniesBegun | PenniesHidden | HandClosed | DieRolled


@dataclass(frozen=True, slots=True)
class State:
    ruleset: str
    purses: Mapping[Seat, int]
    goal: int
    points: Mapping[Seat, int]
    hidden: Mapping[Seat, int] = field(default_factory=dict)
    round: int = 1


class TooMany(RuleViolation):
    """More pennies than the purse holds."""

    code = "too-many-pennies"
    rule = "PEN-02"


class PenniesRules(Rules):
    state = State
    commands = catalogue(Hide, Roll)
    events = catalogue(PenniesBegun, PenniesHidden, HandClosed, DieRolled)
    rulesets = ("pennies_v1",)
    seats = (2, 3, 4)
    settings = (Setting("points", "Points that win.", 3, min=1, max=100000),)

    def possible_seats(self) -> str:
        return "2 to 4 seats"

    def begin(self, setup: Setup, dice: Dice) -> Sequence[Event]:
        seats = [Seat(n) for n in range(1, setup.seats + 1)]
        return [PenniesBegun(setup.ruleset, {s: 3 + dice.below(3) for s in seats}, setup.options["points"])]

    def has_answered(self, state: State, seat: Seat) -> bool:
        return seat in state.hidden

    def decide(self, state: State, seat: Seat, command: Command, dice: Dice) -> Sequence[Event]:
        if isinstance(command, Roll):
            if seat != SYSTEM:
                raise RuleViolation("Only SYSTEM rolls.", rule="PEN-03")
            return [DieRolled(dice.roll(6), dict(state.hidden))]
        if seat in state.hidden:
            raise RuleViolation("Your hand is closed.", rule="PEN-01")
        if not 0 <= command.pennies <= state.purses[seat]:
            raise TooMany("You do not have as many.", field="pennies", most=state.purses[seat])
        return [PenniesHidden(seat, command.pennies), HandClosed(seat)]

    def evolve(self, state: State | None, event: Event) -> State:
        if isinstance(event, PenniesBegun):
            return State(event.ruleset, event.purses, event.goal, dict.fromkeys(event.purses, 0))
        assert state is not None
        match event:
            case PenniesHidden(seat, pennies):
                return replace(state, hidden={**state.hidden, seat: pennies})
            case DieRolled(face, shown):
                points = {s: n + (shown[s] == face % 6) for s, n in state.points.items()}
                return replace(state, points=points, hidden={}, round=state.round + 1)
            case _:
                return state

    def awaiting(self, state: State) -> Sequence[Question]:
        if self.outcome(state):
            return ()
        waiting = [s for s in state.purses if s not in state.hidden]
        serial = state.round * 2
        if waiting:
            return [Question(serial, 0, s, "hide", "PEN-01") for s in waiting]
        return [Question(serial + 1, 0, SYSTEM, "roll", "PEN-03")]

    def legal(self, state: State, seat: Seat) -> Sequence[Option]:
        if seat in state.hidden or seat == SYSTEM or self.outcome(state):
            return ()
        return [Option("hide", {}, (Integer("pennies", 0, state.purses[seat]),))]

    def default(self, state: State, seat: Seat, dice: Dice) -> Command:
        return Roll() if seat == SYSTEM else Hide(0)

    def outcome(self, state: State) -> Outcome | None:
        best = max(state.points.values())
        if best < state.goal:
            return None
        winners = tuple(s for s, n in state.points.items() if n == best)
        return Outcome("points", "PEN-04", winners, dict(state.points))

    def bounds(self, state: State) -> Sequence[str]:
        return ["nobody has more than 1000 pennies"] if any(n > 1000 for n in state.purses.values()) else []

    def faults(self, state: State) -> Sequence[str]:
        return [f"seat {s} hides more than it has" for s, n in state.hidden.items() if n > state.purses[s]]


class PenniesKnowledge(Knowledge):
    def view(self, state: State) -> Any:
        return {"round": state.round, "points": {str(s): n for s, n in state.points.items()}, "goal": state.goal}

    def private(self, state: State, seat: Seat) -> Any:
        return {"purse": state.purses[seat], "hidden": state.hidden.get(seat)}

    def audience(self, event: Event) -> Collection[Seat] | None:
        return (event.seat,) if isinstance(event, PenniesHidden) else None

    def reveal(self, event: Event, seat: Seat | None) -> Any:
        match event:
            case PenniesBegun(ruleset, _, goal):
                return {"type": "pennies_begun", "ruleset": ruleset, "goal": goal}
            case PenniesHidden(owner, pennies):
                return {"type": "pennies_hidden", "seat": owner, "pennies": pennies} if seat == owner else None
            case HandClosed(owner):
                return {"type": "hand_closed", "seat": owner}
            case DieRolled(face, shown):
                return {"type": "die_rolled", "face": face, "shown": {str(s): n for s, n in shown.items()}}

    def gives_away(self, event: Event) -> bool:
        return not isinstance(event, PenniesHidden | HandClosed)

    def imagine(self, state: State, seat: Seat | None, dice: Dice) -> State:
        purses = {s: n if s == seat else 3 + dice.below(3) for s, n in state.purses.items()}
        hidden = {s: n if s == seat else dice.below(purses[s] + 1) for s, n in state.hidden.items()}
        return replace(state, purses=purses, hidden=hidden)


class PenniesPresentation(Presentation):
    sentences = {
        "pennies_begun": "Purses are filled.",
        "pennies_hidden": ("{seat:seat} hides {pennies} pennies.", "{seat:seat} hides some pennies."),
        "hand_closed": "{seat:seat} is ready.",
        "die_rolled": "The die shows {face}.",
    }


class PenniesBots(Bots):
    by_name = {"greedy": lambda state, seat, dice: {"type": "hide", "pennies": min(1, state.purses[seat])}}
    stand_in = "greedy"


PENNIES = Game("pennies", "Pennies", PenniesRules(), PenniesKnowledge(), PenniesPresentation(), PenniesBots())
