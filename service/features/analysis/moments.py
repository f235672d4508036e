"""Replays a finished game or a sandbox: each commit with its command and the state before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.lifecycle import GameEnded
from domain.kernel.record import PLAN, SPEAKERS, Commit, Position
from domain.kernel.terms import SYSTEM, Outcome, Question, Seat, Seq
from domain.table import features
from domain.table.folding import Folding
from domain.table.undo import Undone

MAX_COMMITS = 30_000
"""Maximum number of commits of a game that can be analyzed."""


class TooManyCommits(ValueError):
    """The game has more than `MAX_COMMITS` commits."""


class Unfinished(ValueError):
    """The game is running and no sandbox. Analyzing it could give an advantage."""


@dataclass(frozen=True, slots=True)
class AnalysisMoment:
    """A commit that was not refused."""

    seq: Seq
    by: str
    """The chooser, as in `Commit.by`. A plan counts as its player, because its use is private."""
    seat: Seat
    command: Mapping[str, Any] | None
    """The game's command as JSON with its type; None for table commands."""
    question: Question | None
    """The game's question to the seat, if any."""
    before: Any
    """The game's state; None before the first commit."""
    after: Any
    used_chance: bool
    """Whether the commit used randomness."""
    outcome: Outcome | None = None
    """How the game ended, if it ended with this commit."""
    first_undone: Seq | None = None
    """The first commit that this one undid."""
    is_undone: bool = False
    """Whether a later commit undid this one."""


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A replayed game."""

    game: AnyGame
    id: str
    seats: tuple[Seat, ...]
    moments: tuple[AnalysisMoment, ...]
    releases: tuple[str, ...]
    """The releases that decided its commits, in order."""
    last: Seq

    def restrict(self, first: int, last: int) -> ReplayedGame:
        """The same game, limited to these commits."""
        kept = tuple(moment for moment in self.moments if first <= moment.seq <= last)
        return ReplayedGame(self.game, self.id, self.seats, kept, self.releases, self.last)


def replay_game(game: AnyGame, id_: str, commits: Iterable[Commit]) -> ReplayedGame:
    """Replay a game from its commits, with the rules of this release.

    A sandbox may still be running. Raises `Unfinished` for any other running game, `TooManyCommits`, and the errors of folding
    if
    the commits are not those of a game.
    """
    folding, found, releases = Folding(game, Position()), [], dict[str, None]()
    last = Seq(0)
    for commit in commits:
        if commit.seq > MAX_COMMITS:
            raise TooManyCommits(f"it has more than {MAX_COMMITS} commits")
        asked = folding.position().asked
        before, drawn = folding.state, (folding.drawn, folding.rolled)
        folding.take(commit)
        last = commit.seq
        releases[commit.release] = None
        if commit.refusal is None:
            found.append(_build_moment(commit, asked, before, folding.state, drawn))
    table = folding.position().table
    if table is None or (table.outcome is None and not table.sandbox):
        raise Unfinished("it is not over")
    seats = tuple(Seat(number) for number in range(1, len(table.controllers) + 1))
    return ReplayedGame(game, id_, seats, tuple(_mark_undone(found)), tuple(releases), last)


def _build_moment(commit: Commit, asked: Any, before: Any, after: Any, drawn: tuple[int, int]) -> AnalysisMoment:
    questions = (each.question for each in asked if each.by_game and each.question.seat == commit.seat)
    ended = next((event for event in commit.events if isinstance(event, GameEnded)), None)
    undone = next((event.first for event in commit.events if isinstance(event, Undone)), None)
    return AnalysisMoment(
        commit.seq,
        SPEAKERS[0] if commit.by == PLAN else commit.by,
        commit.seat,
        _get_command(commit) if before is not None else None,
        next(questions, None),
        before,
        after,
        (commit.drawn, commit.rolled) != drawn,
        None if ended is None else Outcome(ended.reason, ended.clause, ended.winners, ended.scores),
        undone,
    )


def _get_command(commit: Commit) -> Mapping[str, Any] | None:
    if commit.played is not None:
        return commit.played
    command = commit.submission.command
    if commit.submission.seat == SYSTEM or command.get("type") in features.PLAYERS:
        return None
    return command


def _mark_undone(found: list[AnalysisMoment]) -> Iterable[AnalysisMoment]:
    """The moments, with those marked that were undone: from the first one that an undo names up to the undo."""
    gone: set[int] = set()
    for moment in found:
        if moment.first_undone is not None:
            gone.update(range(moment.first_undone, moment.seq))
    return [replace(moment, is_undone=True) if moment.seq in gone else moment for moment in found]
