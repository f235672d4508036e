"""Dry runs of plans: a possible result of each command, when its question comes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from domain.kernel.terms import Seat
from domain.table.plans import answers, kinds_waited_for
from service.core.history.narration import Narrator
from service.core.http.access import outcomes
from service.core.http.access.auth import GameAccess
from service.core.http.access.dry_run import Simulation
from service.core.http.context.offload import ReadContext
from service.core.http.problems import Problem
from service.core.pace.clock import clock_of
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import build_question


def simulate_plan(
    access: GameAccess, seat: Seat, kinds: Collection[str], commands: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The possible results of a plan. All others answer by default until a question of these kinds comes to the seat.

    Raises the problem of a quarantined game.
    """
    access.context.require_not_quarantined(access.lobby.id)
    narrator = access.narrator
    return access.compute(lambda reads, facts: run_plan(reads, facts, seat, kinds, commands, narrator))


def run_plan(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat,
    kinds: Collection[str],
    commands: Sequence[Mapping[str, Any]],
    narrator: Narrator,
) -> dict[str, Any]:
    """The question that it would be played for, and a possible result of each command up to the first refusal."""
    simulation = Simulation(reads, facts, seat, clock_of(facts.pace, facts.started), "plan")
    asked = simulation.answer_by_default_until(lambda each: answers(each, seat, kinds))
    results: list[dict[str, Any]] = []
    before = simulation.position
    for command in commands if asked is not None else ():
        if results and (kinds := kinds_waited_for(facts.game, seat, command, before, simulation.position)):
            _wait_for(simulation, facts, seat, kinds)
        if not simulation.is_settled:
            raise Problem("too-much-work", headers={"Retry-After": "1"})
        before = simulation.position
        commit = simulation.play(dict(command))
        commits = [commit] if commit.refusal is not None else [commit, *simulation.play_automatic_commands()]
        results.append(outcomes.describe_dry_run(facts.game, commits, seat, narrator))
        if commit.refusal is not None:
            break
    question = None if asked is None else build_question(asked)
    accepted = asked is not None and all(each["accepted"] for each in results)
    return {"dry_run": True, "seq": simulation.seq, "question": question, "accepted": accepted, "outcomes": results}


def _wait_for(simulation: Simulation, facts: GameConfig, seat: Seat, kinds: Collection[str]) -> None:
    """Answer by default until a question of these kinds is put to the seat, or its turn is over."""
    simulation.answer_by_default_until(
        lambda each: answers(each, seat, kinds) or facts.game.rules.on_turn(simulation.position.state) != seat
    )
