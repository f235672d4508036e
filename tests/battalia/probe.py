"""A minimal module that uses every hook of the module interface: one class and one entry in the registry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.module_api import adjustments, registry, socket
from domain.games.battalia.module_api.socket import Npc
from domain.games.battalia.modules import NPCS
from domain.kernel.errors import RuleViolation
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import Integer, Option, Seat


@dataclass(frozen=True, slots=True)
class Poke:
    """A command in a turn."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A secret answer to the probe's question."""

    number: int


@dataclass(frozen=True, slots=True)
class ProbePoked:
    seat: Seat
    roll: int


@dataclass(frozen=True, slots=True)
class ProbeActed:
    moment: str


@dataclass(frozen=True, slots=True)
class ProbeMoved:
    square: str


@dataclass(frozen=True, slots=True)
class GuessMade:
    seat: Seat
    number: int
    answers: int


@dataclass(frozen=True, slots=True)
class GuessesShown:
    guesses: dict[str, int]


class Probe(Npc):
    key = "probe"
    title = "A probe of the socket."
    order = 7
    seats = (5,)
    traits = frozenset(("probing",))
    moments = frozenset(("effects", "week", "enter", "move", "turn_end"))
    settings = (Setting("probe_depth", "How deep it probes.", 1, min=1, max=3),)
    commands = catalogue(Poke, Guess)
    events = catalogue(ProbePoked, ProbeActed, ProbeMoved, GuessMade, GuessesShown)
    sentences = {
        "probe_poked": "{seat:seat} prods the probe and rolls {roll}.",
        "probe_acted": "The probe acts: {moment}.",
        "probe_moved": "The probe stands on {square:square}.",
        "guess_made": ("{seat:seat} guesses {number}.", "{seat:seat} guesses."),
        "guesses_shown": "The guesses are shown.",
    }

    def check(self, seats, options, modules):
        return {"options.probe_depth": "less with so many"} if seats == 4 and options["probe_depth"] > 2 else {}

    def defaults(self, rules):
        return {"unbound_units": True}

    def blank(self, begun):
        return {"acts": [], "pokes": 0, "square": "", "guesses": {}, "met": 0, "battles": 0}

    def enter(self, decision):
        decision.happen(ProbeMoved(decision.state.centre))

    def act(self, decision, moment):
        decision.happen(ProbeActed(moment))
        if moment == "enter":
            about = {"up_to": decision.state.options["probe_depth"]}
            decision.happen(ev.QuestionAsked("guess", tuple(decision.state.order), "PRO-01", about, self.key))

    def react(self, decision, event):
        return [ProbeMoved(event.square)] if isinstance(event, ev.BattleBegan) else []

    def adjust(self, state, subject):
        match subject:
            case adjustments.TablePlan():
                more = ("wolfsclan",) * (subject.seats > 4)
                return replace(subject, markers=1, factions=(*subject.factions, *more))
            case adjustments.Strength(role="attack"):
                return replace(subject, parts={**subject.parts, "probe": 1})
            case adjustments.Cost(action="take_supply"):
                return subject
            case adjustments.StepCost(hero, "B1"):
                return replace(subject, free=hero.seat == 1)
            case adjustments.Entrance(hero, square) if square == "B2" and state.board.get("B2"):
                return replace(subject, npc=self.key)
            case adjustments.Tactics():
                return replace(subject, choices=("probing",))
            case adjustments.Ending(reason="full-map"):
                return adjustments.Ending("", "")
            case _:
                return subject

    def entered(self, decision, hero, step):
        decision.happen(ProbePoked(hero.seat, decision.dice.roll()))

    def decide(self, decision, seat, command):
        frame = decision.state.asking[-1]
        if isinstance(command, Poke):
            if frame.npc:
                raise RuleViolation("Not while it asks.", rule="PRO-02")
            decision.happen(ev.LinePaid(seat, ()))
            decision.happen(ProbePoked(seat, decision.dice.roll()))
            return
        if frame.npc != self.key or not 0 <= command.number <= frame.about["up_to"]:
            raise RuleViolation("No such guess.", rule="PRO-01", field="number")
        decision.happen(GuessMade(seat, command.number, frame.serial))
        if all(other.serial != frame.serial for other in decision.state.asking):
            decision.happen(GuessesShown(dict(decision.state.npcs[self.key]["guesses"])))

    def legal(self, state, seat, frame):
        if frame.npc:
            return [Option("guess", {}, (Integer("number", 0, frame.about["up_to"]),))]
        return [Option("poke")]

    def default(self, state, seat, frame, dice):
        return Guess(0)

    def evolve(self, memory, event):
        match event:
            case ProbeActed(moment):
                return {**memory, "acts": [*memory["acts"], moment]}
            case ProbePoked():
                return {**memory, "pokes": memory["pokes"] + 1}
            case ProbeMoved(square):
                return {**memory, "square": square}
            case GuessMade(seat, number, _):
                return {**memory, "guesses": {**memory["guesses"], str(seat): number}}
            case GuessesShown():
                return {**memory, "guesses": {}}
        raise AssertionError(event)

    def audience(self, event):
        return None

    def reveal(self, event, seat):
        if isinstance(event, GuessMade):
            shown = {"type": "guess_made", "seat": event.seat}
            return shown | ({"number": event.number} if seat == event.seat else {})
        return socket.plainly(event)

    def view(self, state):
        memory = state.npcs[self.key]
        return {"square": memory["square"], "pokes": memory["pokes"], "guessed": sorted(memory["guesses"])}

    def private(self, state, seat):
        return {"guess": state.npcs[self.key]["guesses"].get(str(seat))}

    def imagine(self, state, seat, dice):
        memory = state.npcs[self.key]
        guesses = {
            key: number if key == str(seat) else dice.below(state.options["probe_depth"] + 1)
            for key, number in sorted(memory["guesses"].items())
        }
        return {**memory, "guesses": guesses}

    def faults(self, state):
        square = state.npcs[self.key]["square"]
        return [] if square in state.board else [f"the probe stands on {square}"]


@contextmanager
def registered(module: Any = Probe) -> Iterator[Any]:
    """The registry with the probe or another module registered."""
    probe = module()
    registry.forget()
    NPCS[probe.key] = probe
    try:
        yield probe
    finally:
        del NPCS[probe.key]
        registry.forget()
