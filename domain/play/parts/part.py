"""The socket of a part of the table: what people who play by post need around any game (to talk, to vote, to change their mind).

A part is a small game around the game: its own commands and events in the same log, its own memory under its key in
`domain.play.table.Table`, questions of its own if it asks any. A game has a part if its first commit names the part's
settings; games that are older than a part, and whatever was begun without it, play as they always did. Parts never see the
game's secrets: what they are handed is asked for what it is, not read.
"""

# ruff: noqa: ARG002 - a default needs less of what it is given than a part that does something

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from domain.game import AnyGame
from domain.play.record import Asked, Clock, Position, Submission
from domain.play.table import PLAYER, Table
from domain.settings import Setting
from domain.shape import as_line
from domain.terms import Option, Outcome, Question, QuestionId, Seat, Seq

M = TypeVar("M")

PLACE = 100
"""Where the questions of parts lie: above any stack of a game's."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The game when a command to a part is decided."""

    game: AnyGame
    position: Position
    seq: Seq
    """Of the commit that is being made."""
    at: int
    """When it is settled, milliseconds of Unix time."""
    clock: Clock | None = None
    """The clock of the pace; None where options are asked for by who does not mind what is offered in the last minutes of a day."""
    by: str = PLAYER
    """Who asks for options: the seat's player, or its `SITTER`, who may say less."""

    @property
    def table(self) -> Table:
        """Who sits where."""
        assert self.position.table is not None
        return self.position.table


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What a command has taken back."""

    seat: Seat
    """Who had asked for it."""
    first: Seq
    """All from this commit on."""
    agreed: bool
    """Whether others were asked about it."""
    again: Mapping[QuestionId, QuestionId]
    """The questions of the game that are asked again: the id of each then, and now."""
    spans: Mapping[QuestionId, tuple[int, int]]
    """The time that was left to each of them that has a clock, from when to when, by its id then."""


class Part(ABC, Generic[M]):
    """A part of the table with a memory ``M``: a frozen dataclass of plain values.

    `decide` may refuse with `RuleViolation`, rolls nothing, and knows no time but the moment's; `evolve` does neither.
    """

    key: str
    memory: type[M]
    settings: Sequence[Setting] = ()
    """What the creator of a game may choose. A game has the part if its first commit names the first of them."""
    commands: Mapping[str, type[Any]] = {}
    """What a seat may send, asked or not (`domain.shape.catalogue`)."""
    routed: Mapping[str, type[Any]] = {}
    """What a seat says by a route of its own, which makes the command: nobody may send it as it is."""
    events: Mapping[str, type[Any]] = {}
    aside: Collection[type[Any]] = ()
    """Those of its events that history tells and no view or option shows: who had seen all before has seen all after."""
    sentences: Mapping[str, str | Sequence[str]] = {}
    told: Mapping[str, Mapping[str, Any]] = {}
    """As `domain.game.Game.told`."""
    system: Mapping[str, type[Any]] = {}
    """What SYSTEM submits about a seat, when the service asks for it; each has a ``seat``. `decide` gets them as it gets commands."""
    questions: Collection[str] = ()
    """The kinds of the questions that it asks."""
    asks: Mapping[str, str | Sequence[str]] = {}
    """As `domain.game.Game.asks`, for its questions."""
    names: Mapping[str, Mapping[str, str]] = {}
    """As `domain.game.Game.names`."""
    unasked: Collection[str] = ()
    """The types of the commands that nobody asks for: a seat may send only so many of them in a while."""
    grants: Collection[type[Any]] = ()
    """The requests of other parts (`domain.play.parts.requests`) that it grants."""
    moving: Collection[str] = ()
    """The types of its events after which the game itself stands otherwise: news for who has planned on it."""

    def has(self, chosen: Mapping[str, Any]) -> bool:
        """Whether a game that was begun with these settings of its table has the part."""
        return bool(self.settings) and self.settings[0].name in chosen

    def faults(self, game: AnyGame, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """What would be right in place of settings that are each right and do not fit the game, by name."""
        return {}

    @abstractmethod
    def begins(self, chosen: Mapping[str, Any], seats: int) -> M:
        """The memory when the game begins; ``chosen`` holds every setting of the part."""

    @abstractmethod
    def decide(self, memory: M, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
        """The events that a command comes to, at least one."""

    @abstractmethod
    def evolve(self, memory: M, event: Any, seq: Seq, at: int) -> M:
        """The memory after any event of the table, its own or another part's, in the commit ``seq`` settled ``at``."""

    def controls(self, event: Any) -> tuple[Seat, str] | None:
        """The seat that is played by another from an event of its own on, and who plays it (`Table.controllers`)."""
        return None

    def hears(self, memory: M, submission: Submission) -> None:
        """Raises `RuleViolation` where who sends this is not to be heard, whatever it is."""

    def silence(self, memory: M, game: AnyGame) -> str | None:
        """The bot that chooses for a player whose time is up; None: what silence means by the game's rules."""
        return None

    def excuses(self, memory: M, seat: Seat) -> bool:
        """Whether it is no fault of the seat's player if their time passes now."""
        return False

    def rests(self, memory: M, seat: Seat, by: str) -> Collection[Seat]:
        """The seats whose standing orders answer nothing of what a command brings up that this seat has given.

        ``by`` is as in `Commit.by`.
        """
        return ()

    def unheeded(self, memory: M, seat: Seat) -> bool:
        """Whether the silence of the seat means what it means by the rules, whatever it has ordered."""
        return False

    def leaves(self, memory: M) -> bool:
        """Whether who resigns leaves the game, instead of a bot's playing on."""
        return False

    def adds(self, memory: M, moment: Moment, seat: Seat, by: str, asked: Asked | None) -> Sequence[Any]:
        """Events of its own that follow those of a command of the game's, which the seat has sent or which was played for it.

        ``by`` is as in `Commit.by`, ``asked`` the question that a bot or a deadline has answered.
        """
        return ()

    def react(self, memory: M, table: Table) -> Sequence[Any]:
        """The events of its own that follow at once from how the table stands after what a command came to; none at last."""
        return ()

    def ending(self, memory: M, game: AnyGame, state: Any) -> Outcome | None:
        """How it has ended the game, if it has; the game's own end goes before it."""
        return None

    def awaiting(self, memory: M, table: Table) -> Sequence[Question]:
        """Whom it asks what. Serials are those of nobody else: minus the seq of the commit that asked; ``place`` is `PLACE` or more."""
        return ()

    def due(self, memory: M, question: Question) -> int | None:
        """When a question of its own that is new is due, milliseconds of Unix time; None for one that may stand for ever."""
        return None

    def default(self, memory: M, question: Question) -> Any:
        """The command that silence stands for."""
        raise NotImplementedError

    def legal(self, memory: M, moment: Moment, seat: Seat) -> Sequence[Option]:
        """What the seat may say to it now: answers to its questions, and what needs none."""
        return ()

    def audience(self, event: Any) -> Collection[Seat] | None:
        """The seats that may read any of an event of its own; None for everybody."""
        return None

    def reveal(self, event: Any, seat: Seat | None) -> Mapping[str, Any] | None:
        """One line of history as the seat (None: the public) may read it, or None."""
        readers = self.audience(event)
        return as_line(event) if readers is None or seat in readers else None

    def grant(self, memory: M, moment: Moment, request: Any) -> Sequence[Any]:
        """What comes of a request of another part's that is one of ``grants``; the events may be none."""
        raise NotImplementedError

    # -- for a part that has to do with clocks ------------------------------------------------------------------------

    def halts(self, memory: M) -> Mapping[Seat, int]:
        """The seats whose clocks stand, SYSTEM's among them, with the instant since when."""
        return {}

    def stops(self, memory: M) -> Sequence[tuple[int, int]]:
        """From when to when the clocks of the whole table have stood."""
        return ()

    def deadlines(self, event: Any) -> Mapping[QuestionId, int]:
        """When the questions of the game are due whose deadlines an event of its own has moved."""
        return {}

    def counted(self, event: Any) -> Mapping[QuestionId, int]:
        """The lengths of time by the clock that stand in an event of its own, by the question they were counted for."""
        return {}

    def counts(self, memory: M) -> bool:
        """Whether it counts time by the clock that its events need not tell (`counted`), if nothing comes of it."""
        return False

    def spares(self, memory: M, table: Table, asked: Asked) -> bool:
        """Whether something else happens than the default when a question of the game has run out of time (`spare`)."""
        return False

    def spare(self, memory: M, moment: Moment, asked: Asked) -> Sequence[Any]:
        """The events that happen then; at least one."""
        raise NotImplementedError

    def heeds(self, memory: M) -> bool:
        """Whether it has to be asked what follows (`follows`) from every command to the game."""
        return False

    def follows(self, memory: M, moment: Moment, answered: Seat | None, before: Sequence[Asked]) -> Sequence[Any]:
        """The events that follow, in the same commit, from what a command has made of the game; they ask nothing.

        ``answered`` is the seat whose player gave it, None for what time or a bot did; ``before`` are the questions that
        stood. The moment is the one after it.
        """
        return ()

    def takes_back(self, memory: M, moment: Moment, taken: TakenBack) -> Sequence[Any]:
        """The events that follow, in the same commit, when commits are taken back; they ask nothing.

        They may move the deadlines (`deadlines`) of what is asked again. The moment is the one after it, and after what follows
        otherwise (`follows`).
        """
        return ()

    # -- for readers --------------------------------------------------------------------------------------------------

    def view(self, memory: M) -> Mapping[str, Any]:
        """What everybody sees of it: stands under its key in the view's ``table``."""
        return {}
