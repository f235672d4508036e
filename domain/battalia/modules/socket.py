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
from domain.battalia.rulesets.rules import Price, Rules
from domain.battalia.state import Frame, Hero, State
from domain.dice import Dice
from domain.errors import NotNow
from domain.game import Seen
from domain.settings import Setting
from domain.shape import snake
from domain.terms import Option, Seat

Advice = tuple[float, Mapping[str, Any]]


class Npc:
    """A module: a subclass overrides what it needs, and one instance of it stands in `domain.battalia.npcs`."""

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
    """What it adjusts (`modules.adjustments`); None: it is asked about everything."""
    questions: Mapping[str, QuestionKind] = {}
    """The kinds of question that it puts, and under ``turn`` the commands that it adds to a turn (`InTurn`); `decide`, `legal`
    and `default` look them up here."""
    settings: tuple[Setting, ...] = ()
    conditions: Mapping[str, str] = {}
    """For a setting that only makes sense where another module has a trait: that trait, by the setting's name."""
    opens: frozenset[str] = frozenset()
    """The core's settings that may be chosen with it only, where the ruleset reads GATE-03 so."""
    switch: str = ""
    """The name of its own setting (true or false) that switches it on, instead of naming it among the modules; or empty."""
    commands: Mapping[str, type[Any]] = {}
    unweighed: frozenset[str] = frozenset()
    """Types of its commands that a player who searches holds against no other where the greedy player takes one: they pay off so late
    that its trials do not see it."""
    events: Mapping[str, type[Any]] = {}
    names: Mapping[str, Mapping[str, str]] = {}
    """What its keys are called, as in `domain.game.Game.names`."""
    sentences: Mapping[str, str | Sequence[str]] = {}
    """Of its events, and of its questions as they are put (``question_asked.<kind>``); as in `domain.game.Game.sentences`."""
    asks: Mapping[str, str | Sequence[str]] = {}
    """What its questions say to the seat, by their kinds."""
    remarks: Mapping[str, str | Sequence[str]] = {}
    """Of the lines that `changes` makes."""

    def check(self, seats: int, options: Mapping[str, Any], modules: tuple[str, ...]) -> Mapping[str, str]:  # noqa: ARG002
        """What is wrong with a set-up: by path, such as ``options.teams``, a phrase that says what would be right."""
        return {}

    def defaults(self, rules: Rules) -> Mapping[str, Any]:  # noqa: ARG002
        """The core's settings that have another default with it, and which."""
        return {}

    def blank(self, begun: BattaliaBegun) -> Any:  # noqa: ARG002
        """Its memory at the beginning: JSON."""
        return {}

    def enter(self, decision: Decision) -> None:
        """Called once, when the table is laid and the first day not yet announced."""

    def act(self, decision: Decision, moment: str) -> None:
        """Its moment in the calendar has come (of ``moments``, or one that it added by `MomentsAdded`)."""

    def react(self, decision: Decision, event: Any) -> Iterable[Any]:  # noqa: ARG002
        """What an event sets off; called after each, its own included.

        Whatever modules have built on the squares that any event names as ``strikes`` is destroyed (ARM-09).
        """
        return ()

    def adjust(self, state: State | None, subject: Adjustable) -> Adjustable:  # noqa: ARG002
        """What a rule has made, changed or as it is; ``state`` is None for a `TablePlan` only."""
        return subject

    def prices(self, state: State) -> Mapping[str, tuple[Price, str]]:  # noqa: ARG002
        """What its own actions (types of commands) cost before anything adjusts it, each with the clause."""
        return {}

    def entered(self, decision: Decision, hero: Hero, step: Step) -> None:
        """A hero has paid for a step onto its figure (`Entrance.npc`)."""

    def decide(self, decision: Decision, seat: Seat, command: Any) -> None:
        """Carry out one of its own commands, or raise a `RuleViolation`."""
        if not self.questions:
            raise NotImplementedError
        kind = decision.state.asking[-1].kind
        question = self.questions.get(kind)
        if question is None or not isinstance(command, question.commands):
            raise NotNow("This command does not answer your pending question.", asked=kind)
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

    def has_answered(self, state: State, frame: Frame, seat: Seat) -> bool:  # noqa: ARG002
        """Whether the seat has answered its question (``frame.npc``), which waits for others."""
        return False

    def evolve(self, memory: Any, event: Any) -> Any:  # noqa: ARG002
        """Its memory after one of its own events; the core's events come to `react`."""
        return memory

    def audience(self, event: Any) -> Collection[Seat] | None:  # noqa: ARG002
        """The seats that may read any of its own event; None for everybody."""
        return None

    def reveal(self, event: Any, seat: Seat | None) -> Any:  # noqa: ARG002
        """Its own event as the seat may read it: all of it, where no secret is in it."""
        return plainly(event)

    def discloses(self, event: Any, events: Sequence[Any]) -> bool:  # noqa: ARG002
        """Whether its own event, one of the ``events`` of a commit, may reveal a secret (`domain.game.Game.discloses`)."""
        return True

    def gloss(self, line: Any) -> Mapping[str, Any]:  # noqa: ARG002
        """What a sentence of its own needs besides the line's fields, from the line alone (`domain.game.Game.gloss`)."""
        return {}

    def changes(self, before: Seen, after: Seen, seat: Seat) -> Iterable[Any]:  # noqa: ARG002
        """What of its own has changed for a seat between two of its views (`domain.game.Game.changes`)."""
        return ()

    def advise(self, state: State, seat: Seat, option: Option) -> Advice | None:  # noqa: ARG002
        """For a greedy player, one of its Options as a worth (hiring is worth 20 to 30, upgrading 60) and a command; or None."""
        return None

    def targets(self, state: State, seat: Seat) -> Mapping[str, float]:  # noqa: ARG002
        """Squares on which a greedy player should fight or stand, and their worth (a neutral city's is its level)."""
        return {}

    def void(self, state: State) -> Collection[str]:  # noqa: ARG002
        """Features of the core (`bots.searching.features`) that say nothing with it, and that are left out."""
        return ()

    def errands(self, state: State, seat: Seat) -> Collection[str]:  # noqa: ARG002
        """Squares to which a player who searches tries steps even where targets are nearer."""
        return ()

    def features(self, state: State, seat: Seat) -> Mapping[str, float]:  # noqa: ARG002
        """What of its own tells how a seat stands, as numbers of about the size of 1, by names that no other has."""
        return {}

    def view(self, state: State) -> Any:  # noqa: ARG002
        """What everybody sees of it: JSON."""
        return {}

    def private(self, state: State, seat: Seat) -> Any:  # noqa: ARG002
        """What one seat sees besides: JSON."""
        return {}

    def imagine(self, state: State, seat: Seat | None, dice: Dice) -> Any:  # noqa: ARG002
        """Its memory with everything that the seat may not see drawn anew; the hands in ``state`` are redrawn already."""
        return state.npcs[self.key]

    def faults(self, state: State) -> Iterable[str]:  # noqa: ARG002
        """Sentences about what cannot be in a game that was played; empty if all is well."""
        return ()


def plainly(event: Any) -> dict[str, Any]:
    """All fields of an event as JSON, except ``answers``."""
    shown = {field.name: getattr(event, field.name) for field in fields(event) if field.name != "answers"}
    return {"type": snake(type(event).__name__)} | {name: _plain(value) for name, value in shown.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return {str(key): _plain(each) for key, each in value.items()} if isinstance(value, Mapping) else value
