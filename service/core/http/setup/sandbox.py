"""Validates the initial position of a sandbox, and its first dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.kernel.dice import ScriptedDice
from domain.kernel.errors import DiceExhausted
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from service.core.http.context.compute_jobs import ComputeJobs, JobLimitExceeded
from service.core.http.problems import Problem, invalid_fields

SOUGHT = "/sandbox/position"


def checked(jobs: ComputeJobs, game: AnyGame, setup: Setup, sandbox: dict[str, Any], who: str) -> dict[str, Any]:
    """The sandbox for the lobby. Raises the problem of an invalid position, or of dice that run out at the start."""
    position, dice = sandbox.get("position"), sandbox.get("dice")
    if position is not None:
        _check(jobs, game, setup, position, who)
    elif dice is not None:
        _check_dice(game, setup, dice)
    return {"position": position, "dice": dice, "forked": None}


def _check_dice(game: AnyGame, setup: Setup, dice: Sequence[int]) -> None:
    """Shuffles stay secret until the start, so another key replaces the game's; rolls come from the script."""
    try:
        game.rules.begin(setup, ScriptedDice(bytes(32), script=dice))
    except DiceExhausted as error:
        raise invalid_fields([("/sandbox/dice", f"The game cannot start with these dice. {error.message}")]) from error


def _check(jobs: ComputeJobs, game: AnyGame, setup: Setup, position: Any, who: str) -> None:
    try:
        found = jobs.check_position(game, setup, position, who)
    except JobLimitExceeded as error:
        raise _too_big("it can be checked within the time limit") from error
    if found.bound:
        raise _too_big(found.bound)
    if found.wrong:
        raise invalid_fields([(SOUGHT, found.wrong)])


def _too_big(bound: str) -> Problem:
    return Problem(
        "position-too-large",
        f"The position exceeds a limit. In any valid position {bound}.",
        pointer=SOUGHT,
        limit=bound,
    )
