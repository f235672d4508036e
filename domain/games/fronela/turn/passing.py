"""Skips nations that need no decision (FRO-D59)."""

from __future__ import annotations

from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.turn.sequence import QUESTIONS
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Seat


class MustAct(RuleViolation):
    """The pending question cannot be skipped."""

    code = "must-act"
    rule = "FRO-D59"


def pass_nations(decision: FronelaDecision, seat: Seat) -> None:
    """Do nothing while the seat's questions allow it. Raises `MustAct` if the first one does not."""
    asking = decision.state.asking
    assert asking is not None
    if QUESTIONS[asking.kind].idle(decision.state) is None:
        raise MustAct("You must make a move for this nation.", field="type", asked=asking.kind, nation=asking.nation)
    while asking is not None and asking.seat == seat:
        question = QUESTIONS[asking.kind]
        nothing = question.idle(decision.state)
        if nothing is None:
            return
        question.answer(decision, seat, nothing)
        decision.run()
        asking = decision.state.asking
