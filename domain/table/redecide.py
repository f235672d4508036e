"""Decides a commit of the log again, with its recorded choices and deadlines, as an auditor does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain.kernel import lifecycle
from domain.kernel.game import AnyGame
from domain.kernel.record import Chance, Commit, OpenQuestion, Position
from domain.kernel.terms import Question, QuestionId
from domain.table.clocks import clocks
from domain.table.settle import settle


def redecide(game: AnyGame, position: Position, commit: Commit, chance: Chance) -> tuple[Commit, Position]:
    """Settle the commit's submission again at the position before it, under the current rules.

    The choice of a bot or a deadline is taken from ``commit.played``, and a new question gets the deadline in the
    commit. Everything else is decided again. If the events are the same, the resulting position equals that of folding
    the commit. Do not compare a commit refused with ``rules-fault``; it is no evidence about the rules.
    """
    submission = commit.submission
    given = next((event.position for event in commit.events if isinstance(event, lifecycle.PositionSet)), None)
    if given is not None:
        submission = replace(submission, command={**submission.command, "position": given})
    return settle(game, position, submission, commit.at, chance, RecordedClock(commit), commit)


AS_LONG_AS_MATTERS = 1 << 60
"""Count of a clock that the commit does not record, milliseconds: so large that it has no effect."""


class RecordedClock:
    """The pace's clock as recorded in a commit."""

    def __init__(self, commit: Commit) -> None:
        self._seq, self._due = commit.seq, dict(commit.due)
        self._counted = clocks.durations(commit.events)

    def __call__(self, question: Question, _at: int, /) -> int | None:
        return self._due.get(QuestionId(f"{self._seq}:{question.place}:{question.seat}"))

    def later(self, asked: OpenQuestion, at: int, _by: int, /) -> int:
        return self._due.get(asked.id, at if asked.due is None else asked.due)

    def between(self, asked: OpenQuestion, _first: int, _last: int, /) -> int:
        return self._counted.get(asked.id, AS_LONG_AS_MATTERS)

    def stood(self, _stops: Sequence[tuple[int, int]], /) -> RecordedClock:
        return self
