"""Decides a command: connects the rules of the turn, the episodes and `evolve` in a `FronelaDecision`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from domain.games.fronela.commands import STANDING, Auto, Command, PassNations
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.registry import reacting
from domain.games.fronela.events import Asked
from domain.games.fronela.evolve.evolve import evolve
from domain.games.fronela.phases.scoring import points_for
from domain.games.fronela.scenarios.tables import COLOURS
from domain.games.fronela.state import FronelaState, start
from domain.games.fronela.turn import legal, orders, passing, rounds
from domain.games.fronela.turn.sequence import QUESTIONS, STEPS
from domain.kernel.dice import Dice
from domain.kernel.errors import NotAsked, NotNow
from domain.kernel.terms import SYSTEM, Seat
from domain.kernel.unfold import Unfolding

_STANDING = tuple(STANDING.values())


def start_decision(state: FronelaState, dice: Dice) -> FronelaDecision:
    return FronelaDecision(state, dice, evolve, _react, STEPS, _forced)


def _forced(decision: FronelaDecision, asked: Asked) -> bool:
    """Answer a question that has a single answer before it is asked (FRO-D58). Returns whether it did."""
    return _may_be_taken(decision.state, asked.seat, asked.kind) and _take_only(decision, evolve(decision.state, asked))


def _may_be_taken(state: FronelaState, seat: Seat, kind: str) -> bool:
    """Whether a question of this kind is skipped if it has a single answer.

    Questions that take several commands are never asked without a choice, so they are excluded.
    """
    question = QUESTIONS[kind]
    return (
        not question.several and not question.chosen and seat != SYSTEM and state.tables.reads("only_answer") == "taken"
    )


def _take_only(decision: FronelaDecision, standing: FronelaState) -> bool:
    """Answer the pending question if it has a single answer. Returns whether it did."""
    asking = standing.asking
    assert asking is not None
    question = QUESTIONS[asking.kind]
    if not _may_be_taken(standing, asking.seat, asking.kind) or not question.forced(standing, asking.seat):
        return False
    question.answer(decision, asking.seat, question.usual(standing))
    return True


def _react(unfolding: Unfolding[FronelaState, Any], event: Any) -> Iterable[Any]:
    state = unfolding.state
    episodes = reacting(state, type(event))
    events = points_for(state, event)
    if not episodes:
        return events
    return [*events, *chain.from_iterable(episode.react(state, event) for episode in episodes)]


def begin(scenario: str, dice: Dice) -> list[Any]:
    """Round 1 up to its first question."""
    decision = start_decision(start(scenario), dice)
    rounds.begin(decision, 1)
    decision.run()
    return decision.events


def _who_is_asked(state: FronelaState) -> str:
    """Refusal text for a sender without a pending question; names the nation or person that has one."""
    asking = state.asking
    if asking is None or asking.seat == SYSTEM:
        return "No decision is pending."
    nation = state.tables.nations.get(asking.nation)
    about = f" about {nation.folk}" if nation is not None else ""
    return f"It is not your turn. The {COLOURS[asking.seat - 1]} player is asked{about}."


def decide(state: FronelaState, seat: Seat, command: Command, dice: Dice) -> Sequence[Any]:
    """The events of the command. Raises `RuleViolation` if the rules forbid it."""
    if isinstance(command, _STANDING):
        return orders.decide(state, seat, command)
    asking = state.asking
    if asking is None or asking.seat != seat:
        raise NotAsked(_who_is_asked(state), asked=[] if asking is None else [asking.seat])
    question = QUESTIONS[asking.kind]
    decision = start_decision(state, dice)
    if isinstance(command, PassNations):
        passing.pass_nations(decision, seat)
        return decision.unfolded
    if isinstance(command, legal.shortcuts(state)):
        if isinstance(command, Auto):
            question.answer_as_usual(decision, seat)
        else:
            question.finish(decision, seat)
    elif isinstance(command, question.commands):
        question.answer(decision, seat, command)
        if decision.waits:
            _take_only(decision, decision.state)
    else:
        raise NotNow(
            "This command does not answer your pending question.", rule=asking.clause, field="type", asked=asking.kind
        )
    decision.run()
    return decision.unfolded
