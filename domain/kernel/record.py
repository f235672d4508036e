"""The records of the log and of a game's states: submissions, commits, pending questions, positions, randomness."""

from __future__ import annotations

import dataclasses
import hmac
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from domain import RELEASE
from domain.kernel.dice import Aside, Dice, ScriptedDice
from domain.kernel.lifecycle import Table
from domain.kernel.terms import SYSTEM, Question, QuestionId, Seat, Seq

NO_COMMIT = Seq(0)
"""Before the first commit."""

PLAN = "plan"
SITTER = "sitter"
SPEAKERS = ("player", SITTER, PLAN)
"""The parties that may act for a seat: its player, their sitter, or a plan made by either."""


def speaker(by: str) -> str:
    """The party that acted for the seat in a commit of its own, by the commit's ``by``."""
    return by if by in SPEAKERS else SPEAKERS[0]


@dataclass(frozen=True, slots=True)
class Submission:
    """A command in the queue: its sender, and when it was accepted into the stream."""

    id: str
    """Unique in the game. The same submission sent twice has one effect."""
    seat: Seat
    command: Mapping[str, Any]
    """JSON: ``type`` and parameters."""
    asked_at: int
    """Milliseconds of Unix time, by the store's clock."""
    expected: Seq | None = None
    """The last seq that the sender had seen, if the command depends on it."""
    credential: str | None = None
    by: str = "player"
    """The party that acts for the seat, one of `SPEAKERS`."""
    tenure: Seq = NO_COMMIT
    """The commit in which the sender took the seat; 0 if they have had it from the start."""
    via: str = ""
    """The app that sent the command; empty if the player's own program did."""


@dataclass(frozen=True, slots=True)
class RuleRefusal:
    """A refusal by the rules."""

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
    """When it was settled, milliseconds of Unix time; never before the previous commit."""
    submission: Submission
    by: str
    """``player``, ``sitter``, ``plan``, ``bot``, ``policy`` or ``system``.

    A sitter acts for the player, a plan was prepared, and ``policy`` is the default answer at a deadline.
    """
    drawn: int
    """Draws of the game so far, including this commit's; a refusal makes none."""
    rolled: int
    """Scripted die rolls used so far (sandboxes only)."""
    events: tuple[Any, ...] = ()
    refusal: RuleRefusal | None = None
    played: Mapping[str, Any] | None = None
    """The command that a bot or a deadline chose, as JSON."""
    seat: Seat = SYSTEM
    """The seat of the command; for a bot or a deadline, the seat with the question."""
    due: tuple[tuple[QuestionId, int], ...] = ()
    """The id and deadline of each question that this commit asks for the first time, or puts off."""
    release: str = RELEASE
    fault: BaseException | None = dataclasses.field(default=None, compare=False, repr=False)
    """The exception, if the refusal is ``rules-fault``; for the worker's log, never stored."""


@dataclass(frozen=True, slots=True)
class StoppedClock:
    """A stopped clock."""

    since: int
    """When it was stopped, milliseconds of Unix time."""
    due: int
    """The deadline that the question would have had."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A pending question."""

    id: QuestionId
    question: Question
    since: int
    due: int | None = None
    acted: Seq = NO_COMMIT
    """The last commit in which its seat acted and was still asked; 0 for none."""
    dated: Seq = NO_COMMIT
    """The last commit of a table with features that moved its deadline; 0 for none."""
    held: StoppedClock | None = None
    """The clock if it is stopped; the question then has no deadline."""

    @property
    def moved(self) -> int:
        """The last commit in which its seat acted or its deadline moved. Actions scheduled before that are obsolete."""
        return max(self.acted, self.dated)

    @property
    def by_game(self) -> bool:
        """Whether the game asks it and not a feature of the table: serials of features are below 0."""
        return self.question.serial >= 0


class Clock(Protocol):
    """The time that a pace counts. All instants are milliseconds of Unix time, all durations milliseconds."""

    def __call__(self, question: Question, at: int, /) -> int | None:
        """The deadline of a question first asked at an instant. None: no deadline."""

    def later(self, asked: OpenQuestion, at: int, by: int, /) -> int:
        """The instant at which this much time has been counted since another, for a pending question."""

    def between(self, asked: OpenQuestion, first: int, last: int, /) -> int:
        """The time counted from one instant to a later one, for a pending question."""

    def stood(self, stops: Sequence[tuple[int, int]], /) -> Clock:
        """The same clock, with the clocks of the whole table stopped between the two instants of each pair."""


@dataclass(frozen=True, slots=True)
class Bars:
    """The commits that prevent undo. Only games that allow undo keep this (`domain.table.undo`)."""

    told: Seq
    """The last commit with a roll, a draw, or a secret revealed to a reader who could not know it."""
    hidden: tuple[Seq, ...]
    """The last commit that showed the seat nothing, by seat; 0 for none. The first entry is unused."""
    acted: tuple[Seq, ...]
    """The last commit in which a seat changed the game, by seat, SYSTEM first."""

    def after_refusal(self, seq: Seq, seat: Seat) -> Bars:
        """The bars after a refusal, which only its sender can see."""
        hidden = tuple([old if place == seat else seq for place, old in enumerate(self.hidden)])
        return Bars(self.told, hidden, self.acted)


class Stood(NamedTuple):
    """The part of a game's state after a commit that undo restores. Created for nearly every commit."""

    seq: Seq
    at: int
    state: Any
    asked: tuple[OpenQuestion, ...]


class PastNotKept(LookupError):
    """The state after a commit is not known here. A caller with the log must read it again from an earlier commit."""

    def __init__(self, seq: Seq) -> None:
        super().__init__(seq)
        self.seq = seq


KEPT = 160
"""Number of states to keep without a log to read again: more than can be undone (`domain.table.undo`)."""
FEW = 8
"""Number of states to keep with a log. More of them would no longer fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class Past:
    """Earlier states of a game, back to the commit ``since``. Rebuilt by folding and never stored."""

    since: Seq = NO_COMMIT
    stood: tuple[Stood, ...] = ()
    """The state at ``since`` and after each later commit that changed it, oldest first."""
    keeps: int = KEPT
    """Number of states that folding keeps."""

    def before(self, first: Seq) -> Stood:
        """The state before a commit. Raises `PastNotKept`."""
        if first <= self.since:
            raise PastNotKept(Seq(first - 1))
        place = bisect_left(self.stood, first, key=attrgetter("seq"))
        return self.stood[place - 1]

    def changed_at(self, first: Seq) -> int | None:
        """When the game first changed, from this commit on. None if it has not changed since."""
        return next((stood.at for stood in self.stood if stood.seq >= first), None)

    def newest(self, count: int) -> Past:
        """A `Past` with at most this many of the newest states. Folding then keeps no more than that."""
        if len(self.stood) <= count:
            return Past(self.since, self.stood, count)
        kept = self.stood[-count:]
        return Past(kept[0].seq, kept, count)

    def behind(self, earlier: Past) -> Past:
        """A `Past` extended by the earlier one, which must reach to ``since``."""
        return Past(earlier.since, (*earlier.stood, *(stood for stood in self.stood if stood.seq > self.since)))


NO_PAST = Past()


@dataclass(frozen=True, slots=True)
class Position:
    """The state of a game after commit ``seq``."""

    state: Any = None
    table: Table | None = None
    seq: Seq = NO_COMMIT
    head: str = ""
    """Hash of the newest header, hex. The code that seals commits updates it."""
    drawn: int = 0
    rolled: int = 0
    at: int = 0
    asked: tuple[OpenQuestion, ...] = ()
    seen: tuple[Seq, ...] = ()
    """The last commit that showed something to the public (first) and to each seat (by its number)."""
    bars: Bars | None = None
    """None in a game without undo."""
    past: Past = dataclasses.field(default=NO_PAST, compare=False, repr=False)
    """Not part of the game's state: how much is known depends on where folding began."""

    def on(self, head: str) -> Position:
        """The same position with the hash of its newest commit. Written out because it is called for every commit."""
        counts = self.drawn, self.rolled, self.at
        return Position(self.state, self.table, self.seq, head, *counts, self.asked, self.seen, self.bars, self.past)

    def after_refusal(self, commit: Commit) -> Position:
        """The position after the next commit, which is a refusal."""
        bars = None if self.bars is None else self.bars.after_refusal(commit.seq, commit.submission.seat)
        return dataclasses.replace(self, seq=commit.seq, at=commit.at, bars=bars)

    def known_from_here(self) -> Position:
        """The same position with only the current state known, as after loading a snapshot."""
        if self.bars is None:
            return self
        return dataclasses.replace(self, past=Past(self.seq, (Stood(self.seq, self.at, self.state, self.asked),), FEW))

    @property
    def over(self) -> bool:
        return self.table is not None and self.table.outcome is not None

    def question(self, id_: str) -> OpenQuestion | None:
        return next((asked for asked in self.asked if asked.id == id_), None)

    def etag(self, seat: Seat | None) -> Seq:
        """The last commit that showed this reader something."""
        return self.seen[seat or 0] if self.seen else NO_COMMIT


@dataclass(frozen=True, slots=True)
class Chance:
    """The source of a game's dice: their key, and in a sandbox an optional script."""

    key: bytes
    script: tuple[int, ...] | None = None

    def dice(self, drawn: int, rolled: int) -> Dice:
        if self.script is None:
            return Dice(self.key, drawn)
        return ScriptedDice(self.key, drawn, self.script, rolled)

    def aside(self, what: str, seq: int) -> Dice:
        """Dice for uses outside the game (a bot's choice, a default), which do not affect later rolls."""
        return Aside(hmac.digest(self.key, what.encode() + seq.to_bytes(8, "big"), "sha256"))
