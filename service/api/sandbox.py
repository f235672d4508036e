"""Whether a sandbox may start as it is asked to: its position is untrusted."""

from __future__ import annotations

import dataclasses
from typing import Any

from domain.dice import Aside
from domain.errors import RuleViolation
from domain.game import AnyGame, Setup
from domain.terms import SYSTEM, Seat
from service.api.problems import Problem, invalid
from service.projections.rows import as_bytes
from service.store.codec import BadDocument, canonical, decode_state, plain

SOUGHT = "/sandbox/position"


def checked(game: AnyGame, setup: Setup, sandbox: dict[str, Any]) -> dict[str, Any]:
    """The sandbox as the lobby keeps it; raises the problem of a position that cannot be."""
    position = sandbox.get("position")
    if position is not None:
        _check(game, setup, position)
    return {"position": position, "dice": sandbox.get("dice"), "forked": None}


def _check(game: AnyGame, setup: Setup, document: Any) -> None:
    try:
        state = decode_state(game, document)
        faults = list(game.faults(state)) or _strangers(game, setup, state)
    except BadDocument as error:
        raise _wrong(f"It is not of the form of a position: {error}.") from error
    except Exception as error:  # the rules stumble over a state that no play can come to: so it cannot be one
        raise _wrong("The rules can make nothing of it.") from error
    if faults:
        raise _wrong("It cannot be: " + "; ".join(map(str, faults[:5])) + ".")


def _strangers(game: AnyGame, setup: Setup, state: Any) -> list[str]:
    """What does not go with the rest of the game; looks at the state the way play will."""
    seats = [Seat(number) for number in range(1, setup.seats + 1)]
    as_bytes(game.view(state))
    for seat in seats:
        as_bytes(game.private(state, seat))
        list(game.legal(state, seat))
    asked = {question.seat for question in game.awaiting(state)}
    told = [f"seat {seat} is asked, and there is none" for seat in sorted(asked - {SYSTEM, *seats})]
    if not told:
        told += [f"seat {seat} has no answer" for seat in sorted(asked) if not _can_answer(game, state, seat)]
    if game.outcome(state) is None and not asked:
        told.append("nobody is asked anything, and the game is not over")
    return told + _misfits(setup, state)


def _can_answer(game: AnyGame, state: Any, seat: Seat) -> bool:
    """Whether the usual answer to what the seat is asked is one that the rules take."""
    try:
        game.decide(state, seat, game.default(state, seat, Aside(b"default")), Aside(b"decide"))
    except RuleViolation:
        return False
    return True


def _misfits(setup: Setup, state: Any) -> list[str]:
    """A state that names its ruleset, options or modules must name those of the game it stands in."""
    names = {field.name for field in dataclasses.fields(state)}
    told = []
    if "ruleset" in names and state.ruleset != setup.ruleset:
        told.append(f"its ruleset is {state.ruleset}, and the game's is {setup.ruleset}")
    if "options" in names and canonical(plain(state.options)) != canonical(plain(setup.options)):
        told.append("its options are not those of the game")
    if "modules" in names and not set(setup.modules) <= set(state.modules):
        told.append("its modules are not those of the game")
    return told


def _wrong(what: str) -> Problem:
    return invalid([(SOUGHT, what)])
