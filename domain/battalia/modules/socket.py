"""The socket: what a module (an NPC, mostly) may add to the game without the core knowing its name.

A module is one class below `Npc` and one line in `domain.battalia.npcs`. Every hook has a harmless default. Modules
move the board through the core's events only; their own events change their own memory, `State.npcs[key]`, a JSON
object. They see each other only through `traits`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from domain.battalia.commands import Step
from domain.battalia.events import BattaliaBegun
from domain.battalia.modules.adjustments import Adjustable
from domain.battalia.modules.decision import Decision
from domain.battalia.modules.questions import QuestionKind
from domain.battalia.state import Frame, Hero, State
from domain.dice import Dice
from domain.errors import NotNow
from domain.game import Setting
from domain.shape import snake
from domain.terms import Option, Seat

Advice = tuple[float, Mapping[str, Any]]


class Npc:
    """A module; subclass, override what makes it itself, and enter one instance in the registry."""

    key: str
    title: str
    order: int = 50
    """Its place among the modules at every moment and in every adjustment, lower first."""
    seats: tuple[int, ...] = ()
    """Numbers of seats that it makes possible."""
    traits: frozenset[str] = frozenset()
    """What other modules and the core may ask for (`modules.traits`)."""
    moments: frozenset[str] = frozenset()
    """When `act` is called (`modules.moments`)."""
    adjusts: tuple[type[Any], ...] | None = None
    """The questions of rules that it has a say in (`adjust`); None: it is asked them all."""
    questions: Mapping[str, QuestionKind] = {}
    """The kinds of question that it puts, and under ``turn`` what it adds to a turn; `decide`, `legal` and `default` go by
    them. A module that asks nothing and only adds a command to the turn is shorter if it overrides those instead."""
    settings: tuple[Setting, ...] = ()
    conditions: Mapping[str, str] = {}
    """Settings that mean something only where another module has a trait: that trait."""
    switch: str = ""
    """The setting (true or false) that switches it on, always on offer; empty for what is named among the modules."""
    commands: Mapping[str, type[Any]] = {}
    events: Mapping[str, type[Any]] = {}
    names: Mapping[str, Mapping[str, str]] = {}
    """What its keys are called, as in `domain.game.Game.names`."""
    sentences: Mapping[str, str | Sequence[str]] = {}

    def check(self, seats: int, options: Mapping[str, Any], modules: tuple[str, ...]) -> Mapping[str, str]:  # noqa: ARG002
        """What is wrong with such a set-up: paths and what would be right."""
        return {}

    def blank(self, begun: BattaliaBegun) -> Any:  # noqa: ARG002
        """What it remembers at first."""
        return {}

    def enter(self, decision: Decision) -> None:
        """The table is laid and the first day not announced."""

    def act(self, decision: Decision, moment: str) -> None:
        """Its moment in the calendar has come (of ``moments``, or one that it added by `MomentsAdded`)."""

    def react(self, decision: Decision, event: Any) -> Iterable[Any]:  # noqa: ARG002
        """What an event sets off; called after each, its own included.

        Whatever modules have built on the squares that any event names as ``strikes`` is destroyed (ARM-09).
        """
        return ()

    def adjust(self, state: State | None, subject: Adjustable) -> Adjustable:  # noqa: ARG002
        """A rule asks; ``state`` is missing for a `TablePlan` only."""
        return subject

    def entered(self, decision: Decision, hero: Hero, step: Step) -> None:
        """A hero has paid for a step onto its figure (`Entrance.npc`)."""

    def decide(self, decision: Decision, seat: Seat, command: Any) -> None:
        """Carry out one of its own commands, or raise a `RuleViolation`."""
        if not self.questions:
            raise NotImplementedError
        kind = decision.state.asking[-1].kind
        question = self.questions.get(kind)
        if question is None or not isinstance(command, question.commands):
            raise NotNow("You are asked something else.", asked=kind)
        question.answer(decision, seat, command)

    def legal(self, state: State, seat: Seat, frame: Frame) -> Iterable[Option]:
        """Its own commands, in a question of its own (``frame.npc``) or in a turn."""
        question = self.questions.get(frame.kind)
        return () if question is None else question.legal(state, seat)

    def default(self, state: State, seat: Seat, frame: Frame, dice: Dice) -> Any:
        """The command that silence stands for, in a question of its own."""
        if frame.kind not in self.questions:
            raise NotImplementedError
        return self.questions[frame.kind].default(state, seat, dice)

    def evolve(self, memory: Any, event: Any) -> Any:  # noqa: ARG002
        """What it remembers after one of its own events; the core's come to `react`."""
        return memory

    def audience(self, event: Any) -> Collection[Seat] | None:  # noqa: ARG002
        """Who may read any of its own event."""
        return None

    def reveal(self, event: Any, seat: Seat | None) -> Any:  # noqa: ARG002
        """Its own event as the seat may read it: all of it, where no secret is in it."""
        return plainly(event)

    def advise(self, state: State, seat: Seat, option: Option) -> Advice | None:  # noqa: ARG002
        """What a greedy player makes of one of its Options: a command and its worth (hiring 20 to 30, upgrading 60)."""
        return None

    def targets(self, state: State, seat: Seat) -> Mapping[str, float]:  # noqa: ARG002
        """Where a greedy player should fight or stand besides, and what that is worth (a neutral city: its level)."""
        return {}

    def view(self, state: State) -> Any:  # noqa: ARG002
        """What everybody sees of it."""
        return {}

    def private(self, state: State, seat: Seat) -> Any:  # noqa: ARG002
        """What one seat sees besides."""
        return {}

    def imagine(self, state: State, seat: Seat | None, dice: Dice) -> Any:  # noqa: ARG002
        """Its memory with what the seat may not see drawn anew; hands are redrawn already."""
        return state.npcs[self.key]

    def faults(self, state: State) -> Iterable[str]:  # noqa: ARG002
        """What cannot be."""
        return ()


def plainly(event: Any) -> dict[str, Any]:
    """All of an event as JSON, but which question it answers."""
    shown = {field.name: getattr(event, field.name) for field in fields(event) if field.name != "answers"}
    return {"type": snake(type(event).__name__)} | {name: _plain(value) for name, value in shown.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return {str(key): _plain(each) for key, each in value.items()} if isinstance(value, Mapping) else value
