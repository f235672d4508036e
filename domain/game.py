"""What a game is to the rest of the project: the protocol that the kernel, the store and the API speak."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from domain.dice import Dice
from domain.terms import Option, Outcome, Question, Seat

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")
JSON = Any

Bot = Callable[[S, Seat, Dice], Mapping[str, Any]]
"""Chooses a command (as JSON with its type) for a seat that is asked, from an imagined state and throw-away dice."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that the creator of a game may choose."""

    name: str
    text: str
    default: Any
    choices: tuple[Any, ...] = ()
    """What it may be; empty for a whole number from ``min`` to ``max``."""
    min: int | None = None
    max: int | None = None
    needs: tuple[str, ...] = ()
    """The modules without which it may not be named, not even at its default."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How a game is to begin, complete and checked."""

    seats: int
    ruleset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = ()


class Game(Protocol[S, C, E]):
    """The rules of one game as pure functions over its state ``S``, commands ``C`` and events ``E``.

    The state is never changed in place. `decide` is the law: it may refuse with `RuleViolation` and may roll;
    `evolve` does neither.
    """

    key: str
    title: str
    state: type[S]
    commands: Mapping[str, type[C]]
    """What a client may send: flat dataclasses (see `domain.shape`)."""
    unasked: Collection[str]
    """The types of the commands that a seat may send without being asked, such as standing orders."""
    events: Mapping[str, type[E]]
    """What the log may hold."""
    rulesets: Sequence[str]
    """Every ruleset (or scenario) ever released, the default one first."""
    seats: Sequence[int]
    """The numbers of seats it can be played with, modules included."""
    settings: Sequence[Setting]
    modules: Mapping[str, str]
    """The key of each module and what it brings."""
    days: bool
    """Whether it is played in days: then it can be played by a calendar.

    What its questions are about tells the ``day`` (counted from 1, with one for laying the table where seats are asked
    about it), and of a question to a seat its ``place`` in the day and the number of places ``of`` it; 0 is before the
    first turn. Of a question to somebody who has not the turn, ``interrupts``. SYSTEM is asked to turn the day when it is over.
    """
    names: Mapping[str, Mapping[str, str]]
    """What keys are called in English, by how a field is told: ``{"faction": {"barfolk": "Bärfolk"}}``; others say it all."""
    sentences: Mapping[str, str | Sequence[str]]
    """One English sentence for each event type, over the fields that `reveal` shows: ``"{seat:seat} hires {card:card}."``

    Of several, the first whose fields are all shown is told.
    """
    bots: Mapping[str, Bot[S]]
    """Players of its own, besides the kernel's ``random``."""

    def check(self, setup: Setup) -> Setup:
        """The same set-up with every default filled in; raises `BadSetup` naming each field that is wrong."""

    def begin(self, setup: Setup, dice: Dice) -> Sequence[E]:
        """The first commit's events; the first of them makes the state and names the ruleset."""

    def decide(self, state: S, seat: Seat, command: C, dice: Dice) -> Sequence[E]:
        """What the command comes to; raises `RuleViolation` where the rules forbid it."""

    def evolve(self, state: S | None, event: E) -> S:
        """The state after the event (before the first one there is none)."""

    def awaiting(self, state: S) -> Sequence[Question]:
        """Who is asked what; empty when the game is over."""

    def legal(self, state: S, seat: Seat) -> Sequence[Option]:
        """Everything that the seat may say now: answers to its question, and what needs none (`unasked`)."""

    def default(self, state: S, seat: Seat, dice: Dice) -> C:
        """What silence means for a seat that is asked; for SYSTEM, the only answer there is."""

    def view(self, state: S) -> JSON:
        """What everybody sees."""

    def private(self, state: S, seat: Seat) -> JSON:
        """What this seat sees besides."""

    def audience(self, event: E) -> Collection[Seat] | None:
        """The seats that may read any of the event; None for everybody."""

    def reveal(self, event: E, seat: Seat | None) -> JSON | None:
        """One line of history as the seat (None: the public) may read it: a JSON object with ``type``, or nothing."""

    def imagine(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """A state that the seat cannot tell from the real one: all it may not see is drawn anew."""

    def outcome(self, state: S) -> Outcome | None:
        """How it ended, if it has."""

    def bounds(self, state: S) -> Iterable[str]:
        """The bounds, far above what play can reach, that a state from outside goes beyond: looked at before anything else."""

    def faults(self, state: S) -> Sequence[str]:
        """What cannot be in such a state (a card twice, a hero on no square): empty for every state that was played."""


AnyGame = Game[Any, Any, Any]
