"""One command, one commit: settling submissions. Pure, and the same for every game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from domain.errors import RulesFault, RuleViolation
from domain.game import AnyGame
from domain.play import table
from domain.play.folding import after_events
from domain.play.interpretation import Interpretation, decide, interpret, with_choice
from domain.play.record import Chance, Commit, Position, Refusal, Submission
from domain.terms import SYSTEM, Question, QuestionId, Seq

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
        after = after_events(game, position, seq, at, interpretation.seat, events)
        ended = _ending(game, after)
        if ended is not None:
            events = (*events, ended)
            after = after_events(game, position, seq, at, interpretation.seat, events)
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
