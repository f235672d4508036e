"""Working with Options: their JSON, whether one offers a command, and a uniform choice among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from domain.dice import Dice
from domain.terms import Integer, OneOf, Open, Option, SubsetOf


def as_json(option: Option) -> dict[str, Any]:
    """The form in which clients read an Option."""
    return {"type": option.type, "fixed": dict(option.fixed), "open": [_open_json(part) for part in option.open]}


def _open_json(part: Open) -> dict[str, Any]:
    match part:
        case OneOf(name, choices):
            return {"name": name, "one_of": list(choices)}
        case SubsetOf(name, choices, low, high):
            return {"name": name, "subset_of": list(choices), "min": low, "max": high}
        case Integer(name, low, high):
            return {"name": name, "integer": {"min": low, "max": high}}


def from_json(document: Mapping[str, Any]) -> Option:
    """The Option that `as_json` wrote."""
    return Option(document["type"], document["fixed"], tuple(_open_from(part) for part in document["open"]))


def _open_from(part: Mapping[str, Any]) -> Open:
    if "one_of" in part:
        return OneOf(part["name"], tuple(part["one_of"]))
    if "subset_of" in part:
        return SubsetOf(part["name"], tuple(part["subset_of"]), part["min"], part["max"])
    return Integer(part["name"], part["integer"]["min"], part["integer"]["max"])


def offers(option: Option, type_: str, params: Mapping[str, Any]) -> bool:
    """Whether the command is one of those that the Option stands for; lists are compared without their order."""
    if option.type != type_ or params.keys() != option.fixed.keys() | {part.name for part in option.open}:
        return False
    fixed = all(_same(params[name], value) for name, value in option.fixed.items())
    return fixed and all(_within(part, params[part.name]) for part in option.open)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and sorted(map(repr, one)) == sorted(map(repr, other))
    return type(one) is type(other) and bool(one == other)


def _within(part: Open, value: Any) -> bool:
    match part:
        case OneOf(_, choices):
            return any(_same(value, choice) for choice in choices)
        case SubsetOf(_, choices, low, high):
            if not isinstance(value, list | tuple) or not low <= len(value) <= high:
                return False
            return len(set(map(repr, value))) == len(value) and all(item in choices for item in value)
        case Integer(_, low, high):
            return type(value) is int and low <= value <= high


def count(option: Option) -> int:
    """How many different commands the Option stands for."""
    total = 1
    for part in option.open:
        total *= len(list(_values(part)))
    return total


def commands(option: Option) -> Iterator[dict[str, Any]]:
    """Every command the Option stands for, as JSON with its type."""
    names = [part.name for part in option.open]
    for values in product(*(_values(part) for part in option.open)):
        yield {"type": option.type, **option.fixed, **dict(zip(names, values, strict=True))}


def _values(part: Open) -> Iterable[Any]:
    match part:
        case OneOf(_, choices):
            return choices
        case SubsetOf(_, choices, low, high):
            return [list(some) for size in range(low, high + 1) for some in combinations(choices, size)]
        case Integer(_, low, high):
            return range(low, high + 1)


def pick(options: Sequence[Option], dice: Dice) -> dict[str, Any]:
    """A command at random, as JSON with its type: an Option uniformly, then each of its open parameters."""
    option = dice.choose(options)
    chosen = {part.name: _pick(part, dice) for part in option.open}
    return {"type": option.type, **option.fixed, **chosen}


def _pick(part: Open, dice: Dice) -> Any:
    match part:
        case OneOf(_, choices):
            return dice.choose(choices)
        case SubsetOf(_, choices, low, high):
            size = low + dice.below(high - low + 1)
            return list(dice.shuffle(choices)[:size])
        case Integer(_, low, high):
            return low + dice.below(high - low + 1)
