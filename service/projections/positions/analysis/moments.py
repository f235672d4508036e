"""A finished game, or a sandbox, walked through once: of each commit what was said, and how the game stood before it and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from domain.game import AnyGame
from domain.play.folding import Folding
from domain.play.parts import around
from domain.play.parts.undo.memory import Undone
from domain.play.record import PLAN, SPEAKERS, Commit, Position
from domain.play.table import GameEnded
from domain.terms import SYSTEM, Outcome, Question, Seat, Seq

LONGEST = 30_000
"""Commits of a game that is analysed; one that has more is not."""


class TooLong(ValueError):
    """The game has more commits than are analysed."""


class Unfinished(ValueError):
    """The game is not over, and no sandbox: nobody analyses it as long as it matters."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A commit that was no refusal."""

    seq: Seq
    by: str
    """Who chose, as in `Commit.by`; that a plan spoke for a player is nobody's business."""
    seat: Seat
    command: Mapping[str, Any] | None
    """What was said to the game, as JSON with its type; None for what was said at the table only."""
    question: Question | None
    """What the game asked the seat."""
    before: Any
    """The game's state; None before the first commit."""
    after: Any
    chance: bool
    """Whether it took any of the game's chance."""
    outcome: Outcome | None = None
    """How the game ended, of the commit with which it did."""
    undone: Seq | None = None
    """The first commit that it took back."""
    taken_back: bool = False
    """Whether a later one took it back."""


@dataclass(frozen=True, slots=True)
class Walked:
    """All of a game."""

    game: AnyGame
    id: str
    seats: tuple[Seat, ...]
    moments: tuple[Moment, ...]
    releases: tuple[str, ...]
    """By which its commits were decided, in order."""
    last: Seq

    def within(self, first: int, last: int) -> Walked:
        """The same with no more than these commits."""
        kept = tuple(moment for moment in self.moments if first <= moment.seq <= last)
        return Walked(self.game, self.id, self.seats, kept, self.releases, self.last)


def walked(game: AnyGame, id_: str, commits: Iterable[Commit]) -> Walked:
    """The moments of a game by its commits in order, read by the rules of this release, whichever decided them.

    A sandbox need not be over. Raises `Unfinished` for any other game that is not, `TooLong`, and whatever folding raises where these are not the commits of a game.
    """
    folding, found, releases = Folding(game, Position()), [], dict[str, None]()
    last = Seq(0)
    for commit in commits:
        if commit.seq > LONGEST:
            raise TooLong(f"it has more than {LONGEST} commits")
        asked = folding.position().asked
        before, drawn = folding.state, (folding.drawn, folding.rolled)
        folding.take(commit)
        last = commit.seq
        releases[commit.release] = None
        if commit.refusal is None:
            found.append(_moment(commit, asked, before, folding.state, drawn))
    table = folding.position().table
    if table is None or (table.outcome is None and not table.sandbox):
        raise Unfinished("it is not over")
    seats = tuple(Seat(number) for number in range(1, len(table.controllers) + 1))
    return Walked(game, id_, seats, tuple(_marked(found)), tuple(releases), last)


def _moment(commit: Commit, asked: Any, before: Any, after: Any, drawn: tuple[int, int]) -> Moment:
    questions = (each.question for each in asked if each.by_game and each.question.seat == commit.seat)
    ended = next((event for event in commit.events if isinstance(event, GameEnded)), None)
    undone = next((event.first for event in commit.events if isinstance(event, Undone)), None)
    return Moment(
        commit.seq,
        SPEAKERS[0] if commit.by == PLAN else commit.by,
        commit.seat,
        _said(commit) if before is not None else None,
        next(questions, None),
        before,
        after,
        (commit.drawn, commit.rolled) != drawn,
        None if ended is None else Outcome(ended.reason, ended.clause, ended.winners, ended.scores),
        undone,
    )


def _said(commit: Commit) -> Mapping[str, Any] | None:
    if commit.played is not None:
        return commit.played
    command = commit.submission.command
    if commit.submission.seat == SYSTEM or command.get("type") in around.PLAYERS:
        return None
    return command


def _marked(found: list[Moment]) -> Iterable[Moment]:
    """The moments, those marked that were taken back: from the first that an undoing names up to the undoing itself."""
    gone: set[int] = set()
    for moment in found:
        if moment.undone is not None:
            gone.update(range(moment.undone, moment.seq))
    return [replace(moment, taken_back=True) if moment.seq in gone else moment for moment in found]
