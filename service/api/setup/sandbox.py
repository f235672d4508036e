"""Checks the position that a sandbox is to start from."""

from __future__ import annotations

from typing import Any

from domain.game import AnyGame, Setup
from service.api.context.judging import OutOfBounds, PositionJudge
from service.api.http.problems import Problem, invalid

SOUGHT = "/sandbox/position"


def checked(judge: PositionJudge, game: AnyGame, setup: Setup, sandbox: dict[str, Any], who: str) -> dict[str, Any]:
    """The sandbox as the lobby keeps it; raises the problem of a position that cannot be."""
    position = sandbox.get("position")
    if position is not None:
        _check(judge, game, setup, position, who)
    return {"position": position, "dice": sandbox.get("dice"), "forked": None}


def _check(judge: PositionJudge, game: AnyGame, setup: Setup, position: Any, who: str) -> None:
    try:
        found = judge.verdict(game, setup, position, who)
    except OutOfBounds as error:
        raise _too_big("it can be looked at in the time that there is for it") from error
    if found.bound:
        raise _too_big(found.bound)
    if found.wrong:
        raise invalid([(SOUGHT, found.wrong)])


def _too_big(bound: str) -> Problem:
    return Problem("position-too-big", f"In any position {bound}.", pointer=SOUGHT, bound=bound)
