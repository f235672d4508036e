"""The records of the log and of a game as it stands and stood: submissions, commits, standing questions, positions, chance."""

from __future__ import annotations

import dataclasses
import hmac
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from domain import RELEASE
from domain.dice import Aside, Dice, ScriptedDice
from domain.play.table import Table
from domain.terms import SYSTEM, Question, QuestionId, Seat, Seq

NO_COMMIT = Seq(0)
"""Before the first commit."""

PLAN = "plan"
SITTER = "sitter"
SPEAKERS = ("player", SITTER, PLAN)
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

    @property
    def moved(self) -> int:
        """The last commit in which its seat acted or its deadline moved: what was to be said before that is not said any more."""
        return max(self.acted, self.dated)

    @property
    def by_game(self) -> bool:
        """Whether the game asks it, and no part of the table: the serials of parts are below 0."""
        return self.question.serial >= 0


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
class Bars:
    """What stands against taking commits back: only games that can take back keep these (`domain.play.parts.undo`)."""

    told: Seq
    """The last commit in which something was rolled, drawn, or shown to somebody who could not know it."""
    hidden: tuple[Seq, ...]
    """By seat, the last commit that showed the seat nothing, whatever it was; 0 for none. The first is nobody's."""
    acted: tuple[Seq, ...]
    """By seat, SYSTEM first, the last commit in which it changed how the game stands."""

    def after_refusal(self, seq: Seq, seat: Seat) -> Bars:
        """After a refusal, which nobody but its sender is shown."""
        hidden = tuple([old if place == seat else seq for place, old in enumerate(self.hidden)])
        return Bars(self.told, hidden, self.acted)


class Stood(NamedTuple):
    """How a game stood after a commit, as far as taking back brings it about again; made for nearly every commit."""

    seq: Seq
    at: int
    state: Any
    asked: tuple[Asked, ...]


class OutOfReach(LookupError):
    """How the game stood after a commit is not known here: whoever has the log reads it again from before that."""

    def __init__(self, seq: Seq) -> None:
        super().__init__(seq)
        self.seq = seq


KEPT = 160
"""Stands of a game that are kept by who has no log to read again: more than can be taken back (`domain.play.parts.undo`)."""
FEW = 8
"""Stands that are kept by who has one. What is kept of many is no longer in the processor's cache when the next is made of it."""


@dataclass(frozen=True, slots=True)
class Past:
    """How a game stood before, back to the commit ``since``: known again by folding, and never stored."""

    since: Seq = NO_COMMIT
    stood: tuple[Stood, ...] = ()
    """The stand at ``since`` and each later commit with which it became another, the oldest first."""
    keeps: int = KEPT
    """How many of them folding keeps."""

    def before(self, first: Seq) -> Stood:
        """How the game stood before a commit; raises `OutOfReach`."""
        if first <= self.since:
            raise OutOfReach(Seq(first - 1))
        place = bisect_left(self.stood, first, key=attrgetter("seq"))
        return self.stood[place - 1]

    def changed_at(self, first: Seq) -> int | None:
        """When the game first stood otherwise, from this commit on; None if it has not since."""
        return next((stood.at for stood in self.stood if stood.seq >= first), None)

    def newest(self, count: int) -> Past:
        """The last so many stands, and no more than are known; no more are kept from here on."""
        if len(self.stood) <= count:
            return Past(self.since, self.stood, count)
        kept = self.stood[-count:]
        return Past(kept[0].seq, kept, count)

    def behind(self, earlier: Past) -> Past:
        """The same with what is known of the time before, by one that reaches to ``since``."""
        return Past(earlier.since, (*earlier.stood, *(stood for stood in self.stood if stood.seq > self.since)))


NO_PAST = Past()


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
    bars: Bars | None = None
    """None in a game in which nothing can be taken back."""
    past: Past = dataclasses.field(default=NO_PAST, compare=False, repr=False)
    """No part of what a game is: how much of it is known depends on where folding began."""

    def on(self, head: str) -> Position:
        """The same with the head of its newest commit; written out because this happens to every commit."""
        counts = self.drawn, self.rolled, self.at
        return Position(self.state, self.table, self.seq, head, *counts, self.asked, self.seen, self.bars, self.past)

    def after_refusal(self, commit: Commit) -> Position:
        """After the next commit, a refusal."""
        bars = None if self.bars is None else self.bars.after_refusal(commit.seq, commit.submission.seat)
        return dataclasses.replace(self, seq=commit.seq, at=commit.at, bars=bars)

    def known_from_here(self) -> Position:
        """The same, of whose past nothing is known but how it stands now: as it comes out of a snapshot."""
        if self.bars is None:
            return self
        return dataclasses.replace(self, past=Past(self.seq, (Stood(self.seq, self.at, self.state, self.asked),), FEW))

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
