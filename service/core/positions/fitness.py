"""Checks whether a game may start from a submitted position. The document is untrusted and may be built to be expensive."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from domain.kernel.dice import Aside
from domain.kernel.errors import RuleViolation
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.options import MOST, MOST_BYTES, as_json
from domain.kernel.terms import SYSTEM, Option, Seat
from service.core.positions.rows import as_bytes
from service.store.codec import BadDocument, canonical, decode_state, plain

MAX_DEPTH = 32
MAX_NUMBER = 10**9


@dataclass(frozen=True, slots=True)
class PositionVerdict:
    """The result of a check. Both texts are empty if the position is valid."""

    bound: str = ""
    """The size limit that was exceeded."""
    wrong: str = ""
    """Why the position is impossible, as a sentence."""


def check_position(game: AnyGame, setup: Setup, document: Any) -> PositionVerdict:
    """Check a position document; the cheapest checks come first."""
    try:
        bound = find_general_bound(document)
        if bound:
            return PositionVerdict(bound)
        state = decode_state(game, document)
        for bound in game.rules.bounds(state):
            return PositionVerdict(bound)
        faults = list(game.rules.faults(state))
        if not faults:
            seats = [Seat(number) for number in range(1, setup.seats + 1)]
            bound = _find_options_bound(game, state, seats)
            if bound:
                return PositionVerdict(bound)
            faults = _find_inconsistencies(game, setup, state, seats)
    except BadDocument as error:
        return PositionVerdict(wrong=f"It is not of the form of a position: {error}.")
    except Exception:  # noqa: BLE001 - the rules stumble over a state that no play can come to: so it cannot be one
        return PositionVerdict(wrong="The rules can make nothing of it.")
    return PositionVerdict(wrong="It cannot be: " + "; ".join(map(str, faults[:5])) + "." if faults else "")


def find_general_bound(document: Any) -> str:
    """The general limit that a document exceeds; empty if none. A document nested deeper cannot be written as JSON."""
    return next(_find_excess(document, 0), "")


def _find_excess(value: Any, depth: int) -> Iterator[str]:
    """The limits on numbers and nesting that a value exceeds."""
    if isinstance(value, int) and abs(value) > MAX_NUMBER:
        yield f"no number is above {MAX_NUMBER}"
    if isinstance(value, dict | list):
        if depth == MAX_DEPTH:
            yield f"nothing lies deeper than {MAX_DEPTH} levels"
            return
        for each in value.values() if isinstance(value, dict) else value:
            yield from _find_excess(each, depth + 1)


def _find_options_bound(game: AnyGame, state: Any, seats: Sequence[Seat]) -> str:
    """The limit that the state's Options exceed; empty if none. Also builds the views, to see whether that fails."""
    as_bytes(game.knowledge.view(state))
    for seat in seats:
        as_bytes(game.knowledge.private(state, seat))
        if serialize_options(game.rules.legal(state, seat)) is None:
            return f"no seat has more than {MOST} Options, or {MOST_BYTES} bytes of them"
    return ""


def serialize_options(options: Sequence[Option]) -> list[dict[str, Any]] | None:
    """The Options as JSON; None if there are too many for one answer (`MOST`, `MOST_BYTES`)."""
    if len(options) > MOST:
        return None
    documents = [as_json(option) for option in options]
    return documents if len(orjson.dumps(documents)) <= MOST_BYTES else None


def _find_inconsistencies(game: AnyGame, setup: Setup, state: Any, seats: Sequence[Seat]) -> list[str]:
    """Contradictions of a state: questions to missing seats, seats without a legal answer, other settings than the game's."""
    asked = {question.seat for question in game.rules.awaiting(state)}
    faults = [f"seat {seat} is asked, and there is none" for seat in sorted(asked - {SYSTEM, *seats})]
    if not faults:
        faults += [f"seat {seat} has no answer" for seat in sorted(asked) if not _can_answer(game, state, seat)]
    if game.rules.outcome(state) is None and not asked:
        faults.append("nobody is asked anything, and the game is not over")
    return faults + _find_setting_differences(game, setup, state)


def _can_answer(game: AnyGame, state: Any, seat: Seat) -> bool:
    """Whether the rules accept the seat's default move."""
    try:
        game.rules.decide(state, seat, game.rules.default(state, seat, Aside(b"default")), Aside(b"decide"))
    except RuleViolation:
        return False
    return True


def _find_setting_differences(game: AnyGame, setup: Setup, state: Any) -> list[str]:
    """Differences between the settings in the state (ruleset, options, modules) and those of its game."""
    names = {field.name for field in dataclasses.fields(state)}
    faults = []
    if "ruleset" in names and state.ruleset != setup.ruleset:
        faults.append(f"its ruleset is {state.ruleset}, and the game's is {setup.ruleset}")
    options = game.rules.options_of(state)
    if options is not None and canonical(plain(options)) != canonical(plain(setup.options)):
        faults.append("its options are not those of the game")
    if "modules" in names and not set(setup.modules) <= set(state.modules):
        faults.append("its modules are not those of the game")
    return faults
