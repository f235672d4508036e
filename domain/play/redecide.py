"""Deciding a commit of the log once more, with the choices and due times that stand in it: what an auditor does."""

from __future__ import annotations

from dataclasses import replace

from domain.game import AnyGame
from domain.play import table
from domain.play.record import Chance, Commit, Position
from domain.play.settle import settle
from domain.terms import Question, QuestionId


def redecide(game: AnyGame, position: Position, commit: Commit, chance: Chance) -> tuple[Commit, Position]:
    """Settle the commit's submission again at the position before it, under the rules as they are now.

    What a bot or a deadline chose is not chosen again but taken from ``commit.played``, and a question that is new is
    due when the commit says so; everything else is decided afresh. If the events are the same, the position after them
    is that of folding the commit. A commit refused with ``rules-fault`` says nothing about the rules and is not to be
    compared.
    """
    recorded = dict(commit.due)

    def clock(question: Question, _at: int) -> int | None:
        return recorded.get(QuestionId(f"{commit.seq}:{question.place}:{question.seat}"))

    submission = commit.submission
    given = next((event.position for event in commit.events if isinstance(event, table.PositionSet)), None)
    if given is not None:
        submission = replace(submission, command={**submission.command, "position": given})
    return settle(game, position, submission, commit.at, chance, clock, commit)
