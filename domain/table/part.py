"""Interface of a part of the table: features of play by post around any game, such as chat, votes and undo.

A part is a small game around the game. It has its own commands and events in the same log, its own memory under its key
in `domain.kernel.lifecycle.Table`, and optional questions. A game has a part if its first commit names the part's settings.
Games that are older than a part, or were created without it, are not affected by it. Parts never see the game's
secrets. They call methods of the objects they get and do not read the game's state.
"""

# ruff: noqa: ARG002 - defaults do not need all arguments

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from domain.game import AnyGame
from domain.kernel.lifecycle import PLAYER, Table
from domain.kernel.record import Asked, Clock, Position, Submission
from domain.kernel.settings import Setting
from domain.kernel.shape import as_line
from domain.kernel.terms import Option, Outcome, Question, QuestionId, Seat, Seq

M = TypeVar("M")

PLACE = 100
"""The lowest place of parts' questions, above any stack of a game."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The game when a command to a part is decided."""

    game: AnyGame
    position: Position
    seq: Seq
    """The seq of the commit in progress."""
    at: int
    """When it is settled, milliseconds of Unix time."""
    clock: Clock | None = None
    """The clock of the pace. None if options are listed by a caller that ignores the last minutes of a calendar day."""
    by: str = PLAYER
    """The listing party: the seat's player, or its `SITTER`, who has fewer options."""

    @property
    def table(self) -> Table:
        """The seats and settings of the table."""
        assert self.position.table is not None
        return self.position.table


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An undo that a command has caused."""

    seat: Seat
    """The seat that requested it."""
    first: Seq
    """Everything from this commit on is undone."""
    agreed: bool
    """Whether others had to agree."""
    again: Mapping[QuestionId, QuestionId]
    """The questions of the game that are asked again: new id by former id."""
    spans: Mapping[QuestionId, tuple[int, int]]
    """Start and end of the remaining time of each of them that has a clock, by its former id."""


class Part(ABC, Generic[M]):
    """A part of the table with a memory ``M``: a frozen dataclass of plain values.

    `decide` may refuse with `RuleViolation`, never rolls, and knows only the time of the moment. `evolve` does neither.
    """

    key: str
    memory: type[M]
    settings: Sequence[Setting] = ()
    """The settings for the creator of a game. A game has the part if its first commit names the first of them."""
    commands: Mapping[str, type[Any]] = {}
    """Commands that a seat may send, with or without a question (`domain.kernel.shape.catalogue`)."""
    routed: Mapping[str, type[Any]] = {}
    """Commands made by a route of their own. Clients cannot send them directly."""
    events: Mapping[str, type[Any]] = {}
    aside: Collection[type[Any]] = ()
    """Its events that appear in the history but change no view or option. A reader who was up to date remains so."""
    sentences: Mapping[str, str | Sequence[str]] = {}
    told: Mapping[str, Mapping[str, Any]] = {}
    """As `domain.game.Game.told`."""
    system: Mapping[str, type[Any]] = {}
    """Commands of SYSTEM about a seat, submitted on request of the service. Each has a ``seat``; `decide` handles them."""
    questions: Collection[str] = ()
    """The kinds of its questions."""
    asks: Mapping[str, str | Sequence[str]] = {}
    """As `domain.game.Game.asks`, for its questions."""
    names: Mapping[str, Mapping[str, str]] = {}
    """As `domain.game.Game.names`."""
    unasked: Collection[str] = ()
    """Types of commands that need no question. A seat may send only a limited number of them in a period."""
    grants: Collection[type[Any]] = ()
    """The requests of other parts (`domain.table.requests`) that it grants."""
    moving: Collection[str] = ()
    """Types of its events that change the game itself. They count as news for plans."""

    def has(self, chosen: Mapping[str, Any]) -> bool:
        """Whether a game created with these table settings has the part."""
        return bool(self.settings) and self.settings[0].name in chosen

    def faults(self, game: AnyGame, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """Corrections, by name, for settings that are valid alone but do not fit the game."""
        return {}

    @abstractmethod
    def begins(self, chosen: Mapping[str, Any], seats: int) -> M:
        """The memory when the game begins; ``chosen`` holds every setting of the part."""

    @abstractmethod
    def decide(self, memory: M, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
        """The events of a command, at least one."""

    @abstractmethod
    def evolve(self, memory: M, event: Any, seq: Seq, at: int) -> M:
        """The memory after any event of the table, its own or another part's, in the commit ``seq`` settled ``at``."""

    def controls(self, event: Any) -> tuple[Seat, str] | None:
        """The seat whose controller changes with an event of its own, and the new one (`Table.controllers`)."""
        return None

    def hears(self, memory: M, submission: Submission) -> None:
        """Raises `RuleViolation` if the sender may not act, whatever the command is."""

    def silence(self, memory: M, game: AnyGame) -> str | None:
        """The bot that chooses for a player whose time is up. None: the game's default."""
        return None

    def excuses(self, memory: M, seat: Seat) -> bool:
        """Whether a time-out of the seat now does not count against its player."""
        return False

    def rests(self, memory: M, seat: Seat, by: str) -> Collection[Seat]:
        """The seats whose standing orders do not answer questions raised by a command of this seat.

        ``by`` is as in `Commit.by`.
        """
        return ()

    def unheeded(self, memory: M, seat: Seat) -> bool:
        """Whether a time-out of the seat means the rules' default, regardless of its orders."""
        return False

    def leaves(self, memory: M) -> bool:
        """Whether a player who resigns leaves the game, instead of being replaced by a bot."""
        return False

    def adds(self, memory: M, moment: Moment, seat: Seat, by: str, asked: Asked | None) -> Sequence[Any]:
        """Own events that follow those of a command of the game, sent by the seat or played for it.

        ``by`` is as in `Commit.by`; ``asked`` is the question that a bot or a deadline has answered.
        """
        return ()

    def react(self, memory: M, table: Table) -> Sequence[Any]:
        """Own events that follow at once from the table after a command. Empty when there are none left."""
        return ()

    def ending(self, memory: M, game: AnyGame, state: Any) -> Outcome | None:
        """The outcome, if the part has ended the game. The game's own end takes precedence."""
        return None

    def awaiting(self, memory: M, table: Table) -> Sequence[Question]:
        """Its questions. Their serials are minus the seq of the commit that asked, so they are unique.

        ``place`` is `PLACE` or more.
        """
        return ()

    def due(self, memory: M, question: Question) -> int | None:
        """The deadline of a new question of its own, milliseconds of Unix time. None: no deadline."""
        return None

    def default(self, memory: M, question: Question) -> Any:
        """The default command."""
        raise NotImplementedError

    def legal(self, memory: M, moment: Moment, seat: Seat) -> Sequence[Option]:
        """Commands that the seat may send to it now: answers to its questions, and those that need none."""
        return ()

    def audience(self, event: Any) -> Collection[Seat] | None:
        """The seats that may read any part of an event of its own. None: everyone."""
        return None

    def reveal(self, event: Any, seat: Seat | None) -> Mapping[str, Any] | None:
        """One line of history as the seat (None: the public) may read it, or None."""
        readers = self.audience(event)
        return as_line(event) if readers is None or seat in readers else None

    def grant(self, memory: M, moment: Moment, request: Any) -> Sequence[Any]:
        """The result of another part's request, one of ``grants``; possibly no events."""
        raise NotImplementedError

    # -- for a part that affects clocks -------------------------------------------------------------------------------

    def halts(self, memory: M) -> Mapping[Seat, int]:
        """The seats whose clocks are stopped, including SYSTEM, with the instant of the stop."""
        return {}

    def stops(self, memory: M) -> Sequence[tuple[int, int]]:
        """Start and end of each stop of the whole table's clocks."""
        return ()

    def deadlines(self, event: Any) -> Mapping[QuestionId, int]:
        """The new deadlines of game questions that an event of its own has moved."""
        return {}

    def counted(self, event: Any) -> Mapping[QuestionId, int]:
        """Durations by the clock in an event of its own, by the question they were counted for."""
        return {}

    def counts(self, memory: M) -> bool:
        """Whether it counts clock time that its events omit if it has no effect (`counted`)."""
        return False

    def spares(self, memory: M, table: Table, asked: Asked) -> bool:
        """Whether something replaces the default when a question of the game has timed out (`spare`)."""
        return False

    def spare(self, memory: M, moment: Moment, asked: Asked) -> Sequence[Any]:
        """The events that replace it; at least one."""
        raise NotImplementedError

    def heeds(self, memory: M) -> bool:
        """Whether it must be asked for follow-up events (`follows`) after every command to the game."""
        return False

    def follows(self, memory: M, moment: Moment, answered: Seat | None, before: Sequence[Asked]) -> Sequence[Any]:
        """Events that follow, in the same commit, from a command's effect on the game. They ask no questions.

        ``answered`` is the seat whose player sent it, None for time or a bot. ``before`` are the questions pending
        then. The moment is the one after the command.
        """
        return ()

    def takes_back(self, memory: M, moment: Moment, taken: TakenBack) -> Sequence[Any]:
        """Events that follow, in the same commit, when commits are undone. They ask no questions.

        They may move the deadlines (`deadlines`) of questions asked again. The moment is the one after the command and
        after the other follow-up events (`follows`).
        """
        return ()

    # -- for readers --------------------------------------------------------------------------------------------------

    def view(self, memory: M) -> Mapping[str, Any]:
        """Its public view, under its key in the view's ``table``."""
        return {}
