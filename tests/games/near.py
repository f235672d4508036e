"""Commands of any game: with every parameter, near to one that is offered, and what the rules say of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from domain.dice import Dice
from domain.errors import RuleViolation
from domain.game import AnyGame
from domain.options import as_json, from_json, offers
from domain.shape import build, hints
from domain.terms import Option, Seat
from service.projections.kinds import record_schema
from tests.games.law import Broken, hold


def whole(game: AnyGame, command: Any) -> dict[str, Any]:
    """The command with every parameter, defaults included."""
    built = build(game.commands, command)
    values = {name: getattr(built, name) for name in hints(type(built))}
    return {"type": command["type"]} | {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


def is_offered(game: AnyGame, options: list[Option], command: Any) -> bool:
    """Whether an Option stands for the command; what an Option leaves out is at its default."""
    try:
        full = whole(game, command)
    except RuleViolation:
        return False
    for option in (each for each in options if each.type == command["type"]):
        named = set(option.fixed) | {part.name for part in option.open}
        bare = {"type": command["type"], **{name: full[name] for name in named}}
        if whole(game, bare) == full and offers(option, option.type, {name: full[name] for name in named}):
            return True
    return False


def refusal(game: AnyGame, state: Any, seat: Seat, command: Any) -> Any:
    """What the law says: None, or the refusal."""
    try:
        events = game.decide(state, seat, build(game.commands, command), Dice(b"aside".ljust(32, b".")))
    except RuleViolation as violation:
        return (violation.code, violation.message, violation.rule, violation.field)
    except Exception as error:
        raise Broken("no fault", f"{command}: {error!r}") from error
    hold("offered is accepted", len(events) > 0, f"{command} comes to nothing")
    return None


def bend(game: AnyGame, command: dict[str, Any], options: list[Option], luck: Dice) -> Iterator[dict[str, Any]]:
    """Commands near to this one: a parameter with a value from elsewhere, a list with one thing more, less or twice."""
    full = whole(game, command)
    words = sorted({word for other in options for word in _words(other)}) or ["x"]
    for name, value in full.items():
        if name == "type":
            continue
        match value:
            case bool() | None:
                continue
            case int():
                bent: list[Any] = [value + 1, value - 1, value + 1000, -1]
            case str():
                bent = [luck.choose(words), "", "no such thing"]
            case list():
                bent = [value[:-1], [*value, *value[:1]], [*value, luck.choose(words)], [*value, "no such thing"]]
            case _:
                continue
        yield {**full, name: luck.choose(bent)}
    yield {**full, "no_such_parameter": 1}
    if names := sorted(set(full) - {"type"}):
        yield {key: value for key, value in full.items() if key != luck.choose(names)}


def _words(option: Option) -> Iterator[str]:
    yield from (value for value in option.fixed.values() if isinstance(value, str))
    for part in option.open:
        yield from (choice for choice in getattr(part, "choices", ()) if isinstance(choice, str))


def plain(option: Option) -> Option:
    """The Option as it is after a journey through JSON: its lists are lists."""
    return from_json(json.loads(json.dumps(as_json(option))))


@cache
def _validator(cls: type[Any], name: str) -> Any:
    return jsonschema_rs.validator_for(record_schema(name, cls))


def validator(game: AnyGame, type_: str) -> Any:
    """Says whether a command is what the kind's schema asks for."""
    return _validator(game.commands[type_], type_)
