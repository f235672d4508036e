"""The rules of a game as pure functions. You write the state, commands and events, and the abstract methods."""

# ruff: noqa: ARG002 - defaults do not need all arguments

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from domain.kernel.dice import Dice
from domain.kernel.errors import BadSetup
from domain.kernel.options import command_of, first
from domain.kernel.rulings import NO_SHEETS, Sheet
from domain.kernel.settings import Setting, no_such_option
from domain.kernel.shape import build
from domain.kernel.terms import Option, Outcome, Question, Seat

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Setup:
    """The setup of a game, complete and validated."""

    seats: int
    ruleset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = ()


class Rules(ABC, Generic[S, C, E]):
    """The rules of one game as pure functions over its state ``S``, commands ``C`` and events ``E``.

    The state never changes in place. `decide` may refuse a command (`RuleViolation`) and may roll; `evolve` does
    neither.
    """

    state: type[S]
    commands: Mapping[str, type[C]]
    """Commands that a client may send: flat dataclasses (see `domain.kernel.shape`)."""
    events: Mapping[str, type[E]]
    """Events that the log may contain."""
    rulesets: Sequence[str]
    """Every ruleset (or scenario) ever released, the default one first."""
    sheets: Mapping[str, Sheet] = NO_SHEETS
    """The data of each ruleset, if it has any."""
    seats: Sequence[int]
    """Allowed numbers of seats, with any modules."""
    settings: Sequence[Setting] = ()
    modules: Mapping[str, str] = {}
    """Key and description of each module."""
    days: bool = False
    """Whether the game is played in days. Only then can it use the calendar pace.

    Its questions then have a ``day`` in ``about``, counted from 1; setting up the table has a day too if seats are
    asked about it. A question to a seat also has its ``place`` in the day and the number of places ``of`` it; 0 is
    before the first turn. A question to a seat that is not on turn has ``interrupts``. SYSTEM is asked to turn a day
    that is over.
    """
    departs: bool = False
    """Whether the rules define what happens to a seat that its player has left (`depart`)."""

    # -- starting a game ----------------------------------------------------------------------------------------------

    def check(self, setup: Setup) -> Setup:
        """The setup with all defaults filled in. Raises `BadSetup`, which names each wrong field."""
        faults = {}
        if setup.seats not in self.seats:
            faults["seats"] = self.possible_seats()
        if setup.ruleset and setup.ruleset not in self.rulesets:
            faults["ruleset"] = "one of " + ", ".join(self.rulesets)
        known = {setting.name: setting for setting in self.settings}
        for name, value in setup.options.items():
            if fault := known[name].fault(value) if name in known else no_such_option(self.settings):
                faults[f"options.{name}"] = fault
        if set(setup.modules) - self.modules.keys() or len(set(setup.modules)) < len(setup.modules):
            faults["modules"] = (
                f"each once, out of: {', '.join(self.modules)}" if self.modules else "this game has no modules"
            )
        if faults:
            raise BadSetup(faults)
        options = {setting.name: setup.options.get(setting.name, setting.default) for setting in self.settings}
        return replace(setup, ruleset=setup.ruleset or self.rulesets[0], options=options)

    def possible_seats(self) -> str:
        """Message for a number of seats that is not in ``seats``."""
        return "one of " + ", ".join(map(str, self.seats))

    @abstractmethod
    def begin(self, setup: Setup, dice: Dice) -> Sequence[E]:
        """The events of the first commit. The first of them creates the state and names the ruleset."""

    # -- commands and events ------------------------------------------------------------------------------------------

    @abstractmethod
    def decide(self, state: S, seat: Seat, command: C, dice: Dice) -> Sequence[E]:
        """The events of a command. Raises `RuleViolation` if the rules forbid it.

        If deciding has already evolved the state, return `domain.kernel.unfold.Unfolded`, so that the kernel does not
        evolve it again.
        """

    def decide_silence(self, state: S, seat: Seat, command: C, dice: Dice) -> Sequence[E]:
        """The events of a command that is played for a player whose time is up.

        A game may also answer later questions of the same turn by default, to avoid waiting for another deadline. Games
        from before `table_v5` use `decide`.
        """
        return self.decide(state, seat, command, dice)

    def depart(self, state: S, seat: Seat, dice: Dice) -> Sequence[E]:
        """The events after the player of a seat has left for good and no bot takes over, for games with `departs`.

        Until the seat's part in the game is over, the default answers each of its questions immediately.
        """
        raise NotImplementedError

    @abstractmethod
    def evolve(self, state: S | None, event: E) -> S:
        """The state after the event. The state before the first event is None."""

    # -- questions and answers ----------------------------------------------------------------------------------------

    @abstractmethod
    def awaiting(self, state: S) -> Sequence[Question]:
        """The pending questions; empty when the game is over."""

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Sequence[Option]:
        """All commands that the seat may send now: answers to its question, and commands that need none (`unasked`)."""

    def replies(self, state: S, seat: Seat) -> Sequence[Option]:
        """The part of `legal` that answers the seat's question; empty without a question."""
        return [option for option in self.legal(state, seat) if option.type not in self.unasked]

    def default(self, state: S, seat: Seat, dice: Dice) -> C:
        """The default command for a seat with a question: the first choice of its first option.

        A game that asks SYSTEM returns the only possible answer, which `legal` need not offer.
        """
        return build(self.commands, command_of(self.replies(state, seat)[0], first))

    def has_answered(self, state: S, seat: Seat) -> bool:
        """Whether the seat has answered the pending question, which now waits for others.

        Affects only the text of a refusal.
        """
        return False

    # -- the result ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """The outcome, or None while the game continues."""

    def standings(self, state: S) -> Mapping[Seat, int]:
        """Current points of every seat, counted as in the outcome; empty if the game has no points."""
        return {}

    def allies(self, state: S, seat: Seat) -> Collection[Seat]:
        """The seats that win together with this one by the public rules; none by default."""
        return ()

    # -- standing orders: a game without them keeps the defaults --------------------------------------------------------

    unasked: Collection[str] = ()
    """The types of commands that a seat may send without a question, such as standing orders."""
    orderable: Collection[str] = ()
    """The kinds of questions that standing orders may answer."""

    def resting(self, state: S, seats: Collection[Seat]) -> S:
        """The state as if these seats had no orders. Decisions made on it apply to the real state."""
        return state

    def by_orders(self, then: S, seat: Seat, now: S) -> Mapping[str, Any] | None:
        """The answer of the seat's orders in ``now`` to its question in ``then``, a state of the same game.

        This is the first of several, as JSON with its type. None if the orders leave the question to the seat.
        """
        return None

    # -- planned turns: the defaults work for every game ----------------------------------------------------------------

    answers: Mapping[str, Collection[str]] = {}
    """The types of commands that may answer each kind of question to a seat. A plan waits for such a question.

    If empty, a plan waits for any question.
    """
    endings: Mapping[str, Mapping[str, Any]] = {}
    """The command (as JSON with its type) that ends a turn, by the kinds of questions asked in it."""

    def on_turn(self, state: S) -> Seat | None:
        """The seat on turn, also while others are asked during its turn; None if no seat has a turn.

        A plan that has begun waits while others are asked in its seat's turn. In a game without turns it never waits.
        """
        return None

    # -- states that come from outside ----------------------------------------------------------------------------------

    def bounds(self, state: S) -> Iterable[str]:
        """The bounds that the state exceeds.

        They are far above what play can reach, and are checked before anything else.
        """
        return ()

    def faults(self, state: S) -> Sequence[str]:
        """Contradictions in the state (a duplicate card, a hero on no square). Empty for every state reached by play."""
        return ()

    def options_of(self, state: S) -> Mapping[str, Any] | None:
        """The options in the setup of this game, if the state contains them; otherwise None."""
        return getattr(state, "options", None)
