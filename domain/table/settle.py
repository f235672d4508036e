"""One command, one commit: settling submissions. Pure, and the same for every game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain import RELEASE
from domain.kernel import lifecycle
from domain.kernel.errors import RulesFault, RuleViolation
from domain.kernel.game import AnyGame
from domain.kernel.record import Chance, Clock, Commit, OpenQuestion, PastNotKept, Position, RuleRefusal, Submission
from domain.kernel.terms import SYSTEM, Question, QuestionId, Seq
from domain.kernel.unfold import EndlessReactions
from domain.table import features
from domain.table.clocks import clocks
from domain.table.clocks.counting import TakenBack
from domain.table.feature import Moment
from domain.table.folding import Folding
from domain.table.interpretation import Interpretation, decide, interpret, with_choice
from domain.table.undo import Undone

_NONE: Mapping[QuestionId, int] = {}
MOST_REACTIONS = 100
"""Maximum number of events that features of the table may add after one command."""


class NoClock:
    """The pace ``free``: SYSTEM answers at once, other questions have no deadline; every millisecond counts."""

    def __call__(self, question: Question, at: int, /) -> int | None:
        return at if question.seat == SYSTEM else None

    def later(self, asked: OpenQuestion, at: int, by: int, /) -> int:  # noqa: ARG002
        return at + by

    def between(self, asked: OpenQuestion, first: int, last: int, /) -> int:  # noqa: ARG002
        return last - first

    def stood(self, stops: Sequence[tuple[int, int]], /) -> Clock:  # noqa: ARG002
        return self


no_clock = NoClock()


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

    ``recorded`` is the commit in which the submission was first settled (`domain.table.redecide`). The choice of a bot
    or a deadline is then reused, and if the events are equal, the commit contains those of the log.

    This is the only place that catches `RuleViolation`. Any other exception becomes a commit with the refusal
    ``rules-fault``, and the table continues. `BaseException` (a timer of the caller) passes through. So does
    `PastNotKept`, if an undo needs an earlier state that the position does not have.
    """
    seq, at = Seq(position.seq + 1), max(at, position.at)
    dice = chance.dice(position.drawn, position.rolled)
    interpretation: Interpretation | None = None
    try:
        interpretation = interpret(game, position, submission)
        interpretation = with_choice(game, position, interpretation, chance, seq, recorded)
        moment = Moment(game, position, seq, at, clock)
        events, state = decide(moment, interpretation, dice)
        if recorded is not None and recorded.events[: len(events)] == events:
            events = recorded.events[: len(events)]
        if not events:
            raise RulesFault("The command had no effect.")
        folding = Folding(game, position)
        folding.follow(seq, at, events, state)
        events = (*events, *_reactions(folding, moment))
        ended = _ending(game, folding)
        if ended is not None:
            folding.follow(seq, at, (ended,), folding.state)
            events = (*events, ended)
        moved = _moved(interpretation, position.table, events)
        folding.ask(interpretation.seat, moved, clock)
        follow = _following(moment, folding, interpretation)
        if follow:
            folding.follow(seq, at, follow, folding.state)
            events = (*events, *follow)
        if folding.undone is not None and (follow := _taken_back(moment, folding, folding.undone)):
            folding.follow(seq, at, follow, folding.state)
            folding.date_again(clocks.deadlines(follow))
            events = (*events, *follow)
        folding.close(interpretation.seat, dice.drawn, getattr(dice, "rolled", 0))
        after = folding.position()
    except RuleViolation as violation:
        return _refused(game, position, submission, at, interpretation, violation)
    except PastNotKept:
        raise
    except Exception as error:  # noqa: BLE001 - one faulty rule must not stop the table (rules-fault)
        fault = RulesFault("The rules failed on this command.")
        return _refused(game, position, submission, at, interpretation, fault, error)
    commit = Commit(
        seq,
        at,
        submission,
        interpretation.by,
        after.drawn,
        after.rolled,
        events,
        played=interpretation.played,
        seat=interpretation.seat,
        due=_due(position, after, moved),
        release=game.release,
    )
    return commit, after


def refuse(
    position: Position, submission: Submission, at: int, violation: RuleViolation, release: str = RELEASE
) -> tuple[Commit, Position]:
    """Settle a submission as refused without deciding it, for one that has crashed workers before."""
    at = max(at, position.at)
    commit = Commit(
        Seq(position.seq + 1),
        at,
        submission,
        "system" if submission.seat == SYSTEM else submission.by,
        position.drawn,
        position.rolled,
        refusal=RuleRefusal(violation.code, violation.message, violation.rule, violation.field, violation.facts),
        seat=submission.seat,
        release=release,
    )
    return commit, position.after_refusal(commit)


def _refused(
    game: AnyGame,
    position: Position,
    submission: Submission,
    at: int,
    interpretation: Interpretation | None,
    violation: RuleViolation,
    fault: BaseException | None = None,
) -> tuple[Commit, Position]:
    commit, after = refuse(position, submission, at, violation, game.release)
    if interpretation is not None:
        commit = replace(commit, by=interpretation.by, seat=interpretation.seat, played=interpretation.played)
    return replace(commit, fault=fault), after


def _due(before: Position, after: Position, moved: Mapping[QuestionId, int]) -> tuple[tuple[QuestionId, int], ...]:
    """The deadlines that a commit sets: for new questions, and for those it moves."""
    dated = [
        (asked.id, asked.due if asked.held is None else asked.held.due)
        for asked in after.asked
        if asked.due is not None or asked.held is not None
    ]
    if dated:
        stood = {asked.id for asked in before.asked}
        dated = [(id_, due) for id_, due in dated if id_ not in stood]
    return (*dated, *moved.items())  # type: ignore[arg-type]


def _moved(
    interpretation: Interpretation, seated: lifecycle.Table | None, events: tuple[Any, ...]
) -> Mapping[QuestionId, int]:
    """The new deadlines of questions that these events have moved."""
    if type(interpretation.command) is lifecycle.PutOff:
        return {event.question: event.due for event in events if type(event) is lifecycle.DeadlinePutOff}
    return _NONE if seated is None or not seated.memories else clocks.deadlines(events)


def _following(moment: Moment, folding: Folding, interpretation: Interpretation) -> tuple[Any, ...]:
    """The changes of reserve time that follow from the command. ``moment`` is before the command."""
    before = moment.position
    if before.table is None or folding.seated.outcome is not None or not clocks.counts_reserves(folding.seated):
        return ()
    moment = replace(moment, position=folding.position())
    # A player who undoes has not answered a question.
    nobody = interpretation.by in ("system", "policy", "bot") or folding.undone is not None
    answered = None if nobody else interpretation.seat
    return clocks.change_reserves(moment, answered, before.asked)


def _taken_back(moment: Moment, folding: Folding, undone: Undone) -> tuple[Any, ...]:
    """The changes of clocks that follow from an undo. ``moment`` is before the command."""
    moment = replace(moment, position=folding.position())
    taken = TakenBack(undone.seat, undone.first, bool(undone.agreed), folding.again, folding.spans)
    return clocks.take_back(moment, taken)


def _reactions(folding: Folding, moment: Moment) -> tuple[Any, ...]:
    """The reactions of the table's features to the commit so far, already applied."""
    reactions: tuple[Any, ...] = ()
    while folding.seated.memories and (following := features.react(moment, folding.seated)):
        folding.follow(moment.seq, moment.at, following, folding.state)
        reactions += following
        if len(reactions) > MOST_REACTIONS:
            raise EndlessReactions(f"more than {MOST_REACTIONS} events that follow from one command")
    return reactions


def _ending(game: AnyGame, folding: Folding) -> lifecycle.GameEnded | None:
    outcome = features.outcome(game, folding.state, folding.seated)
    if outcome is None:
        return None
    return lifecycle.GameEnded(outcome.reason, outcome.clause, outcome.winners, outcome.scores)
