"""Commands of any game: with all parameters, similar to an offered one, and whether the rules accept them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.game import AnyGame
from domain.kernel.options import as_json, from_json, offers
from domain.kernel.shape import build, hints
from domain.kernel.terms import Option, Seat
from service.core.catalog.kinds import build_record_schema
from tests.games.law import Broken, hold


def whole(game: AnyGame, command: Any) -> dict[str, Any]:
    """The command with every parameter, defaults included."""
    built = build(game.rules.commands, command)
    values = {name: getattr(built, name) for name in hints(type(built))}
    return {"type": command["type"]} | {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


def is_offered(game: AnyGame, options: list[Option], command: Any) -> bool:
    """Whether an Option offers the command. Parameters that an Option omits have their defaults."""
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
    """The refusal of the command by the rules, or None."""
    try:
        events = game.rules.decide(state, seat, build(game.rules.commands, command), Dice(b"aside".ljust(32, b".")))
    except RuleViolation as violation:
        return (violation.code, violation.message, violation.rule, violation.field)
    except Exception as error:
        raise Broken("no fault", f"{command}: {error!r}") from error
    hold("offered is accepted", len(events) > 0, f"{command} comes to nothing")
    return None


def bend(game: AnyGame, command: dict[str, Any], options: list[Option], luck: Dice) -> Iterator[dict[str, Any]]:
    """Commands similar to this one: a parameter with another value, or a list with an item added, removed, or repeated."""
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
    """The Option after a round trip through JSON, with lists instead of tuples."""
    return from_json(json.loads(json.dumps(as_json(option))))


@cache
def _validator(cls: type[Any], name: str) -> Any:
    return jsonschema_rs.validator_for(build_record_schema(name, cls))


def validator(game: AnyGame, type_: str) -> Any:
    """The validator of the command schema."""
    return _validator(game.rules.commands[type_], type_)
