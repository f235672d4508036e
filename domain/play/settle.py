"""One command, one commit: settling submissions, folding and replaying commits. Pure, and the same for every game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from domain.errors import RulesFault, RuleViolation
from domain.game import AnyGame
from domain.play import table
from domain.play.interpretation import Interpretation, decide, interpret, with_choice
from domain.play.record import NO_COMMIT, Asked, Chance, Commit, Position, Refusal, Submission
from domain.play.table import TableEvent, seated
from domain.terms import SYSTEM, Question, QuestionId, Seat, Seq

Clock = Callable[[Question, int], int | None]
"""When a question first asked at an instant is due; both in milliseconds of Unix time."""


def no_clock(question: Question, at: int) -> int | None:
    """The pace ``free``: SYSTEM answers at once, nobody else ever has to."""
    return at if question.seat == SYSTEM else None


def settle(
    game: AnyGame,
    position: Position,
    submission: Submission,
    at: int,
    chance: Chance,
    clock: Clock = no_clock,
    recorded: Commit | None = None,
) -> tuple[Commit, Position]:
    """Decide one submission: its commit, and the position after it.

    ``recorded`` is the commit of the submission when it was first settled (`domain.play.redecide`): what a bot or a deadline
    chose then is not chosen again, and where the events are the same, those of the log are folded.

    The only place that catches `RuleViolation`. Anything else that breaks becomes a commit with the refusal
    ``rules-fault``, and the table goes on. `BaseException` (a timer of the caller's) passes through.
    """
    seq, at = Seq(position.seq + 1), max(at, position.at)
    dice = chance.dice(position.drawn, position.rolled)
    interpretation: Interpretation | None = None
    try:
        interpretation = interpret(game, position, submission)
        played = None if recorded is None else recorded.played
        interpretation = with_choice(game, position, interpretation, chance, seq, played)
        events = decide(game, position, interpretation, dice)
        if recorded is not None and recorded.events[: len(events)] == events:
            events = recorded.events[: len(events)]
        if not events:
            raise RulesFault("The command came to nothing.")
        after = _folded(game, position, seq, at, interpretation.seat, events)
        ended = _ending(game, after)
        if ended is not None:
            events = (*events, ended)
            after = _folded(game, position, seq, at, interpretation.seat, events)
        new = [asked for asked in after.asked if position.question(asked.id) is None]
        due = [(asked.id, clock(asked.question, at)) for asked in new]
        due += [(event.question, event.due) for event in events if isinstance(event, table.DeadlinePutOff)]
    except RuleViolation as violation:
        return _refused(position, submission, at, interpretation, violation)
    except Exception as error:  # noqa: BLE001 - one broken rule must not stop the table (design: rules-fault)
        fault = RulesFault("The rules failed on this command.")
        return _refused(position, submission, at, interpretation, fault, error)
    commit = Commit(
        seq,
        at,
        submission,
        interpretation.by,
        dice.drawn,
        getattr(dice, "rolled", 0),
        events,
        played=interpretation.played,
        seat=interpretation.seat,
        due=tuple((id_, when) for id_, when in due if when is not None),
    )
    return commit, _stamped(after, commit)


def refuse(position: Position, submission: Submission, at: int, violation: RuleViolation) -> tuple[Commit, Position]:
    """Settle a submission as refused without deciding it (one that has broken workers before)."""
    at = max(at, position.at)
    commit = Commit(
        Seq(position.seq + 1),
        at,
        submission,
        "system" if submission.seat == SYSTEM else "player",
        position.drawn,
        position.rolled,
        refusal=Refusal(violation.code, violation.message, violation.rule, violation.field, violation.facts),
        seat=submission.seat,
    )
    return commit, replace(position, seq=commit.seq, at=at)


def fold(game: AnyGame, position: Position, commit: Commit) -> Position:
    """The position after a commit that stands in the log: never rolls, never refuses."""
    if commit.refusal is not None:
        return replace(position, seq=commit.seq, at=commit.at)
    after = _folded(game, position, commit.seq, commit.at, commit.seat, commit.events)
    return _stamped(after, commit)


def replay(game: AnyGame, commits: Iterable[Commit], position: Position | None = None) -> Position:
    """Fold commits in order."""
    position = position or Position()
    for commit in commits:
        position = fold(game, position, commit)
    return position


def _refused(
    position: Position,
    submission: Submission,
    at: int,
    interpretation: Interpretation | None,
    violation: RuleViolation,
    fault: BaseException | None = None,
) -> tuple[Commit, Position]:
    commit, after = refuse(position, submission, at, violation)
    if interpretation is not None:
        commit = replace(commit, by=interpretation.by, seat=interpretation.seat, played=interpretation.played)
    return replace(commit, fault=fault), after


def _ending(game: AnyGame, after: Position) -> table.GameEnded | None:
    outcome = game.outcome(after.state)
    if outcome is None:
        return None
    return table.GameEnded(outcome.reason, outcome.clause, outcome.winners, outcome.scores)


def _folded(game: AnyGame, position: Position, seq: Seq, at: int, actor: Seat, events: Sequence[Any]) -> Position:
    state, board = position.state, position.table
    shown: set[int] = set()
    everybody = False
    for event in events:
        if isinstance(event, TableEvent):
            board = seated(board, event)
            if isinstance(event, table.PositionSet):
                state = event.position
            everybody = True
            continue
        state = game.evolve(state, event)
        audience = game.audience(event)
        if audience is None:
            everybody = True
        else:
            shown.update(audience)
    assert board is not None
    before = position.seen or (NO_COMMIT,) * (len(board.controllers) + 1)
    seen = tuple(seq if everybody or place in shown else old for place, old in enumerate(before))
    asked = () if board.outcome is not None else _asked(game, state, position.asked, seq, at, actor)
    return replace(position, state=state, table=board, seq=seq, at=at, asked=asked, seen=seen)


def _asked(game: AnyGame, state: Any, before: tuple[Asked, ...], seq: Seq, at: int, actor: Seat) -> tuple[Asked, ...]:
    known = {(asked.question.serial, asked.question.seat): asked for asked in before}
    standing = []
    for question in game.awaiting(state):
        old = known.get((question.serial, question.seat))
        if old is None:
            standing.append(Asked(QuestionId(f"{seq}:{question.place}:{question.seat}"), question, at))
        elif question.seat == actor:
            standing.append(replace(old, question=question, acted=seq))
        else:
            standing.append(old if old.question == question else replace(old, question=question))
    return tuple(standing)


def _stamped(position: Position, commit: Commit) -> Position:
    """The position with the commit's deadlines and dice; copied only where they differ, because copying is not cheap."""
    position = _with_due(position, commit.due)
    if (position.drawn, position.rolled) == (commit.drawn, commit.rolled):
        return position
    return replace(position, drawn=commit.drawn, rolled=commit.rolled)


def _with_due(position: Position, due: tuple[tuple[QuestionId, int], ...]) -> Position:
    if not due:
        return position
    when = dict(due)
    asked = tuple(replace(a, due=when[a.id]) if a.id in when else a for a in position.asked)
    return replace(position, asked=asked)
