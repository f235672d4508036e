"""The records of the log and of a game as it stands: submissions, commits, standing questions, positions, chance."""

from __future__ import annotations

import dataclasses
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from domain import RELEASE
from domain.dice import Aside, Dice, ScriptedDice
from domain.play.table import Table
from domain.terms import SYSTEM, Question, QuestionId, Seat, Seq

NO_COMMIT = Seq(0)
"""Before the first commit."""

PLAN = "plan"
SPEAKERS = ("player", "sitter", PLAN)
"""Who may speak for a seat: its player, whom they have asked to play in their place, and the plan that either has laid."""


def speaker(by: str) -> str:
    """Who spoke for the seat in a commit of its own, by what the commit says."""
    return by if by in SPEAKERS else SPEAKERS[0]


@dataclass(frozen=True, slots=True)
class Submission:
    """A command on its way: who asked for what, and when it was accepted into the stream."""

    id: str
    """Unique in the game; the same submission sent twice has one effect."""
    seat: Seat
    command: Mapping[str, Any]
    """JSON: ``type`` and parameters."""
    asked_at: int
    """Milliseconds of Unix time, by the store's clock."""
    expected: Seq | None = None
    """The seq that the sender had seen last, if the command depends on it."""
    credential: str | None = None
    by: str = "player"
    """Who speaks for the seat, of `SPEAKERS`."""
    tenure: Seq = NO_COMMIT
    """The commit in which the sender took the seat; 0 for who has had it from the beginning."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rules said no."""

    code: str
    message: str
    rule: str | None = None
    field: str | None = None
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commit:
    """The result of one submission: events, or a refusal."""

    seq: Seq
    at: int
    """Settled, milliseconds of Unix time; never earlier than the commit before."""
    submission: Submission
    by: str
    """``player``, ``sitter`` (in the player's place), ``plan`` (laid beforehand), ``bot``, ``policy`` (a deadline answered) or ``system``."""
    drawn: int
    """Draws of the game so far, this commit's among them; a refusal makes none."""
    rolled: int
    """Scripted die rolls used so far (sandboxes only)."""
    events: tuple[Any, ...] = ()
    refusal: Refusal | None = None
    played: Mapping[str, Any] | None = None
    """The command that a bot or a deadline chose, as JSON."""
    seat: Seat = SYSTEM
    """Whose command it was: for a bot or a deadline the seat that was asked."""
    due: tuple[tuple[QuestionId, int], ...] = ()
    """The id and deadline of each question that this commit asks first, or puts off."""
    release: str = RELEASE
    fault: BaseException | None = dataclasses.field(default=None, compare=False, repr=False)
    """What broke, when the refusal is ``rules-fault``; for the worker's log, never stored."""


@dataclass(frozen=True, slots=True)
class Held:
    """A clock that stands."""

    since: int
    """From when on nothing of it was counted, milliseconds of Unix time."""
    due: int
    """When the question would have been due."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that stands."""

    id: QuestionId
    question: Question
    since: int
    due: int | None = None
    acted: Seq = NO_COMMIT
    """The last commit in which its seat acted and was still asked; 0 if there is none."""
    dated: Seq = NO_COMMIT
    """The last commit of a table with parts that moved its deadline; 0 if there is none."""
    held: Held | None = None
    """Its clock, where that stands; then nothing is due."""


class Clock(Protocol):
    """The time that a pace counts. All instants and lengths are milliseconds, of Unix time the former."""

    def __call__(self, question: Question, at: int, /) -> int | None:
        """When a question first asked at an instant is due; None for one that may stand for ever."""

    def later(self, asked: Asked, at: int, by: int, /) -> int:
        """The instant at which so much time has been counted since another, for a question that stands."""

    def between(self, asked: Asked, first: int, last: int, /) -> int:
        """How much time is counted from one instant to a later one, for a question that stands."""

    def stood(self, stops: Sequence[tuple[int, int]], /) -> Clock:
        """The same clock, where the clocks of the whole table have stood between the two instants of each of these."""


@dataclass(frozen=True, slots=True)
class Position:
    """A game as it stands after commit ``seq``."""

    state: Any = None
    table: Table | None = None
    seq: Seq = NO_COMMIT
    head: str = ""
    """Hash of the newest header, hex; whoever seals the commits keeps it up to date."""
    drawn: int = 0
    rolled: int = 0
    at: int = 0
    asked: tuple[Asked, ...] = ()
    seen: tuple[Seq, ...] = ()
    """The last commit that showed something to the public (first) and to each seat (by its number)."""

    def on(self, head: str) -> Position:
        """The same with the head of its newest commit; written out because this happens to every commit."""
        return Position(self.state, self.table, self.seq, head, self.drawn, self.rolled, self.at, self.asked, self.seen)

    @property
    def over(self) -> bool:
        return self.table is not None and self.table.outcome is not None

    def question(self, id_: str) -> Asked | None:
        """The standing question with this id."""
        return next((asked for asked in self.asked if asked.id == id_), None)

    def etag(self, seat: Seat | None) -> Seq:
        """The last commit that showed this reader something."""
        return self.seen[seat or 0] if self.seen else NO_COMMIT


@dataclass(frozen=True, slots=True)
class Chance:
    """The source of a game's dice: their key, and in a sandbox perhaps a script for them."""

    key: bytes
    script: tuple[int, ...] | None = None

    def dice(self, drawn: int, rolled: int) -> Dice:
        if self.script is None:
            return Dice(self.key, drawn)
        return ScriptedDice(self.key, drawn, self.script, rolled)

    def aside(self, what: str, seq: int) -> Dice:
        """Dice for what is no part of the game (a bot's choice, a default), so that they move no later roll."""
        return Aside(hmac.digest(self.key, what.encode() + seq.to_bytes(8, "big"), "sha256"))
