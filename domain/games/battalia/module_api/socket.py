"""The socket: everything that a module (usually an NPC) can add to the game without the core knowing its name.

A module is one subclass of `Npc` and one line in `domain.games.battalia.modules`. The default of every hook does
nothing. Modules change the board only through the core's events. Their own events change their own memory,
`BattaliaState.npcs[key]`, a JSON object. Modules depend on each other only through `traits`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from domain.games.battalia.commands import Step
from domain.games.battalia.events import BattaliaBegun
from domain.games.battalia.module_api.adjustments import Adjustable
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.rulesets.rules import BattaliaNumbers, Price
from domain.games.battalia.state import BattaliaState, Frame, Hero
from domain.kernel.dice import Dice
from domain.kernel.errors import NotNow
from domain.kernel.game.knowledge import SeatView
from domain.kernel.settings import Setting
from domain.kernel.shape import snake
from domain.kernel.terms import Option, Seat

Advice = tuple[float, Mapping[str, Any]]


class Npc:
    """A module. A subclass overrides what it needs, and one instance of it is in `domain.games.battalia.modules`."""

    key: str
    title: str
    order: int = 50
    """Its place among the modules at every moment and in every adjustment, lower first."""
    seats: tuple[int, ...] = ()
    """Additional numbers of seats."""
    traits: frozenset[str] = frozenset()
    """Traits that other modules and the core can query (`module_api.traits`)."""
    moments: frozenset[str] = frozenset()
    """The moments at which `act` is called (`module_api.moments`)."""
    adjusts: tuple[type[Any], ...] | None = None
    """The types it adjusts (`module_api.adjustments`). None: it is called for all."""
    questions: Mapping[str, BattaliaQuestionKind] = {}
    """Its kinds of questions, and under ``turn`` the commands that it adds to a turn (`InTurn`).

    `decide`, `legal` and `default` look them up here.
    """
    settings: tuple[Setting, ...] = ()
    conditions: Mapping[str, str] = {}
    """The traits that its settings need from another module, by the setting's name."""
    opens: frozenset[str] = frozenset()
    """The core's settings that are available only with it, if the ruleset reads GATE-03 like this."""
    switch: str = ""
    """The name of its own boolean setting that enables it, so that it need not be named among the modules; or empty."""
    commands: Mapping[str, type[Any]] = {}
    unweighed: frozenset[str] = frozenset()
    """Types of its commands that search bots do not compare if the greedy bot chooses one.

    They pay off so late that trials do not show it.
    """
    events: Mapping[str, type[Any]] = {}
    names: Mapping[str, Mapping[str, str]] = {}
    """English names of its keys, as in `domain.kernel.game.presentation.Presentation.names`."""
    sentences: Mapping[str, str | Sequence[str]] = {}
    """Sentences of its events and of its questions (``question_asked.<kind>``), as in `domain.kernel.game.presentation.Presentation.sentences`."""
    asks: Mapping[str, str | Sequence[str]] = {}
    """Texts of its questions to a seat, by kind."""
    remarks: Mapping[str, str | Sequence[str]] = {}
    """Sentences for the lines of `changes`."""

    def check(self, seats: int, options: Mapping[str, Any], modules: tuple[str, ...]) -> Mapping[str, str]:  # noqa: ARG002
        """Faults of a setup: by path, such as ``options.teams``, the allowed values."""
        return {}

    def defaults(self, rules: BattaliaNumbers) -> Mapping[str, Any]:  # noqa: ARG002
        """The core's settings with another default, and that default."""
        return {}

    def blank(self, begun: BattaliaBegun) -> Any:  # noqa: ARG002
        """Its initial memory, as JSON."""
        return {}

    def enter(self, decision: BattaliaDecision) -> None:
        """Called once, after the table is set up and before the first day is announced."""

    def act(self, decision: BattaliaDecision, moment: str) -> None:
        """Called at its moments in the calendar (``moments``, or one that it added by `MomentsAdded`)."""

    def react(self, decision: BattaliaDecision, event: Any) -> Iterable[Any]:  # noqa: ARG002
        """Reactions to an event; called after each, including its own.

        Everything that modules have built on the squares in an event's ``strikes`` is destroyed (ARM-09).
        """
        return ()

    def adjust(self, state: BattaliaState | None, subject: Adjustable) -> Adjustable:  # noqa: ARG002
        """The value, changed or unchanged; ``state`` is None for a `TablePlan` only."""
        return subject

    def prices(self, state: BattaliaState) -> Mapping[str, tuple[Price, str]]:  # noqa: ARG002
        """The prices of its own actions (types of commands) before adjustments, each with its clause."""
        return {}

    def entered(self, decision: BattaliaDecision, hero: Hero, step: Step) -> None:
        """A hero has paid for a step onto its figure (`Entrance.npc`)."""

    def decide(self, decision: BattaliaDecision, seat: Seat, command: Any) -> None:
        """Apply one of its own commands, or raise a `RuleViolation`."""
        if not self.questions:
            raise NotImplementedError
        kind = decision.state.asking[-1].kind
        question = self.questions.get(kind)
        if question is None or not isinstance(command, question.commands):
            raise NotNow("This command does not answer your pending question.", asked=kind)
        question.answer(decision, seat, command)

    def legal(self, state: BattaliaState, seat: Seat, frame: Frame) -> Iterable[Option]:
        """Its own legal commands, for a question of its own (``frame.npc``) or in a turn."""
        question = self.questions.get(frame.kind)
        return () if question is None else question.legal(state, seat)

    def default(self, state: BattaliaState, seat: Seat, frame: Frame, dice: Dice) -> Any:
        """The default command for a question of its own."""
        if frame.kind not in self.questions:
            raise NotImplementedError
        return self.questions[frame.kind].default(state, seat, dice)

    def has_answered(self, state: BattaliaState, frame: Frame, seat: Seat) -> bool:  # noqa: ARG002
        """Whether the seat has answered its question (``frame.npc``), which now waits for others."""
        return False

    def evolve(self, memory: Any, event: Any) -> Any:  # noqa: ARG002
        """Its memory after one of its own events. The core's events are passed to `react`."""
        return memory

    def audience(self, event: Any) -> Collection[Seat] | None:  # noqa: ARG002
        """The seats that may read any part of its own event. None: everyone."""
        return None

    def reveal(self, event: Any, seat: Seat | None) -> Any:  # noqa: ARG002
        """Its own event as the seat may read it; complete if it contains no secret."""
        return plainly(event)

    def discloses(self, event: Any, events: Sequence[Any]) -> bool:  # noqa: ARG002
        """Whether its own event, one of the ``events`` of a commit, may reveal a secret (`domain.kernel.game.knowledge.Knowledge.discloses`)."""
        return True

    def gloss(self, line: Any) -> Mapping[str, Any]:  # noqa: ARG002
        """Additional fields for its sentences, from the line alone (`domain.kernel.game.presentation.Presentation.gloss`)."""
        return {}

    def changes(self, before: SeatView, after: SeatView, seat: Seat) -> Iterable[Any]:  # noqa: ARG002
        """Its own changes for a seat between two of its views (`domain.kernel.game.presentation.Presentation.changes`)."""
        return ()

    def advise(self, state: BattaliaState, seat: Seat, option: Option) -> Advice | None:  # noqa: ARG002
        """For a greedy bot: a rating and a command for one of its Options, or None.

        Hiring is rated 20 to 30, upgrading 60.
        """
        return None

    def targets(self, state: BattaliaState, seat: Seat) -> Mapping[str, float]:  # noqa: ARG002
        """Squares where a greedy bot should fight or stay, and their values (a neutral city's is its level)."""
        return {}

    def void(self, state: BattaliaState) -> Collection[str]:  # noqa: ARG002
        """Features of the core (`bots.searching.features`) that are meaningless with it, and are omitted."""
        return ()

    def errands(self, state: BattaliaState, seat: Seat) -> Collection[str]:  # noqa: ARG002
        """Squares to which a search bot tries steps even if targets are nearer."""
        return ()

    def features(self, state: BattaliaState, seat: Seat) -> Mapping[str, float]:  # noqa: ARG002
        """Its own features of a seat's position, as numbers of about the size of 1, with unique names."""
        return {}

    def view(self, state: BattaliaState) -> Any:  # noqa: ARG002
        """Its public view, as JSON."""
        return {}

    def private(self, state: BattaliaState, seat: Seat) -> Any:  # noqa: ARG002
        """One seat's private view: JSON."""
        return {}

    def imagine(self, state: BattaliaState, seat: Seat | None, dice: Dice) -> Any:  # noqa: ARG002
        """Its memory with everything hidden from the seat drawn again; the hands in ``state`` are already redrawn."""
        return state.npcs[self.key]

    def faults(self, state: BattaliaState) -> Iterable[str]:  # noqa: ARG002
        """Contradictions that cannot arise by play, as sentences; empty if there are none."""
        return ()


def plainly(event: Any) -> dict[str, Any]:
    """All fields of an event as JSON, except ``answers``."""
    shown = {field.name: getattr(event, field.name) for field in fields(event) if field.name != "answers"}
    return {"type": snake(type(event).__name__)} | {name: _plain(value) for name, value in shown.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return {str(key): _plain(each) for key, each in value.items()} if isinstance(value, Mapping) else value
