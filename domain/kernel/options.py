"""Options: their JSON, whether one offers a command, and a uniform choice among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb, prod
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.terms import Integer, OneOf, Open, Option, SubsetOf

MOST = 5_000
"""Maximum number of Options in a response. A game stops listing at one more, which shows that some are missing."""

MOST_BYTES = 1_000_000
"""Maximum size of the JSON of one response."""


def as_json(option: Option) -> dict[str, Any]:
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
    """Whether the Option covers the command; the order of lists does not matter."""
    if option.type != type_ or params.keys() != option.fixed.keys() | {part.name for part in option.open}:
        return False
    fixed = all(_same(params[name], value) for name, value in option.fixed.items())
    named = parts_by_name(option)
    return fixed and all(
        _within(parts[0], params[name]) if len(parts) == 1 else _divided(parts, params[name])
        for name, parts in named.items()
    )


def parts_by_name(option: Option) -> dict[str, list[Open]]:
    """The open parts by parameter: one for each, or several for a list that is chosen part by part."""
    named: dict[str, list[Open]] = {}
    for part in option.open:
        named.setdefault(part.name, []).append(part)
    return named


def command_of(option: Option, choose: Callable[[Open], Any]) -> dict[str, Any]:
    """The command, as JSON with its type, for a choice of each open part."""
    chosen: dict[str, Any] = {}
    for part in option.open:
        value = choose(part)
        chosen[part.name] = [*chosen[part.name], *value] if part.name in chosen else value
    return {"type": option.type, **option.fixed, **chosen}


def first(part: Open) -> Any:
    """The first choice, or the minimum number of first choices."""
    match part:
        case OneOf(_, choices):
            return choices[0]
        case SubsetOf(_, choices, least, _):
            return list(choices[:least])
        case Integer(_, least, _):
            return least


def _divided(parts: Sequence[Open], value: Any) -> bool:
    """Whether a list is one choice of each part; no two parts of a parameter share a choice."""
    if not isinstance(value, list | tuple):
        return False
    shares = [[item for item in value if item in part.choices] for part in parts if isinstance(part, SubsetOf)]
    whole = sum(map(len, shares)) == len(value)
    return whole and all(_within(part, share) for part, share in zip(parts, shares, strict=True))


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
    """Number of different commands that the Option covers."""
    return prod(_count(part) for part in option.open)


def _count(part: Open) -> int:
    match part:
        case OneOf(_, choices):
            return len(choices)
        case SubsetOf(_, choices, low, high):
            return sum(comb(len(choices), size) for size in range(low, high + 1))
        case Integer(_, low, high):
            return high - low + 1


def commands(option: Option) -> Iterator[dict[str, Any]]:
    """Every command that the Option covers, as JSON with its type."""
    for values in _combined(option.open):
        chosen = iter(values)
        yield command_of(option, lambda _, chosen=chosen: next(chosen))  # type: ignore[misc]


def _combined(parts: Sequence[Open]) -> Iterator[tuple[Any, ...]]:
    """Every combination of the parts' values, one at a time, because all may not fit into memory."""
    if not parts:
        yield ()
        return
    for value in _values(parts[0]):
        for others in _combined(parts[1:]):
            yield (value, *others)


def _values(part: Open) -> Iterable[Any]:
    match part:
        case OneOf(_, choices):
            return choices
        case SubsetOf(_, choices, low, high):
            return (list(some) for size in range(low, high + 1) for some in combinations(choices, size))
        case Integer(_, low, high):
            return range(low, high + 1)


def pick(options: Sequence[Option], dice: Dice) -> dict[str, Any]:
    """A random command, as JSON with its type: an Option uniformly, then each of its open parameters."""
    return command_of(dice.choose(options), lambda part: _pick(part, dice))


def _pick(part: Open, dice: Dice) -> Any:
    match part:
        case OneOf(_, choices):
            return dice.choose(choices)
        case SubsetOf(_, choices, low, high):
            size = low + dice.below(high - low + 1)
            return list(dice.shuffle(choices)[:size])
        case Integer(_, low, high):
            return low + dice.below(high - low + 1)
