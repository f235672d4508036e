"""Options: their JSON, whether one offers a command, a uniform choice among them, and the hooks of plans and orders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb, prod
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.terms import Integer, OneOf, Open, Option, Seat, SubsetOf

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


class Ordering:
    """The part of a game (`domain.game.Game`) that shows its standing orders. A game without orders keeps the defaults."""

    unasked: Collection[str] = ()
    """The types of commands that a seat may send without a question, such as standing orders."""
    orderable: Collection[str] = ()
    """The kinds of questions that standing orders may answer."""

    def orders(self, state: Any, seat: Seat) -> Sequence[Mapping[str, Any]]:  # noqa: ARG002
        """The seat's current orders, each as its line of history."""
        return ()

    def resting(self, state: Any, seats: Collection[Seat]) -> Any:  # noqa: ARG002
        """The state as if these seats had no orders. Decisions made on it apply to the real state."""
        return state

    def by_orders(self, then: Any, seat: Seat, now: Any) -> Mapping[str, Any] | None:  # noqa: ARG002
        """The answer of the seat's orders in ``now`` to its question in ``then``, a state of the same game.

        This is the first of several, as JSON with its type. None if the orders leave the question to the seat.
        """
        return None


class Planning:
    """The part of a game (`domain.game.Game`) that planned turns need. The defaults work for every game."""

    answers: Mapping[str, Collection[str]] = {}
    """The types of commands that may answer each kind of question to a seat. A plan waits for such a question.

    If empty, a plan waits for any question.
    """
    endings: Mapping[str, Mapping[str, Any]] = {}
    """The command (as JSON with its type) that ends a turn, by the kinds of questions asked in it."""

    def on_turn(self, state: Any) -> Seat | None:  # noqa: ARG002
        """The seat on turn, also while others are asked during its turn; None if no seat has a turn.

        A plan that has begun waits while others are asked in its seat's turn. In a game without turns it never waits.
        """
        return None

    def passes(self, event: Any, seat: Seat) -> bool:  # noqa: ARG002
        """Whether an event only leads from one turn to the next, so that the board is unchanged for the seat.

        A plan with the condition that nothing changes is still played after such an event.
        """
        return False


Scored = tuple[float, Mapping[str, Any]]
"""A command as JSON with its type, and its estimated value in the game's own measure; higher is better."""


class Searching:
    """The part of a game (`domain.game.Game`) that search bots use (`domain.table.bots.search`).

    Everything has a default. All methods get imagined states only.
    """

    adept: Callable[[Any, Seat, Dice], Mapping[str, Any]] | None = None
    """A bot that is stronger than the game's usual one and as fast. None if there is only the usual bot.

    The higher levels start with its choice and use it in their trials.
    """
    fits: Mapping[str, Mapping[str, Any]] = {}
    """Fitted weights by the names of `features`, sorted and separated by spaces.

    ``weights`` adds to the log-odds of winning. ``oraclewheel simulate --fit`` fits them to games that the other keys
    describe. A set of features without a fit is not used.
    """

    outlooks: Mapping[str, Mapping[str, Any]] = {}
    """Fitted values by the phase of the game that `outlook` returns.

    ``weights``: the points that each feature still brings. ``spread``: the number of points that multiplies the odds of
    winning by e. They are fitted in the same way as `fits`.
    """

    def policy(self, state: Any, seat: Seat) -> Sequence[Scored]:  # noqa: ARG002
        """Candidate commands for a seat with a question, best first; empty if the game has no preference."""
        return ()

    def features(self, state: Any, seat: Seat) -> Mapping[str, float]:  # noqa: ARG002
        """Features of a seat's position, as numbers of about the size of 1; empty to use `standings` instead."""
        return {}

    def outlook(self, state: Any) -> tuple[str, Mapping[Seat, Mapping[str, float]]] | None:  # noqa: ARG002
        """The phase of the game, and features that predict the points each seat still gets; None if not used."""
        return None

    def far_enough(self, start: Any, state: Any) -> bool:  # noqa: ARG002
        """Whether an imagined game that began at ``start`` can stop at this state. By default it runs to the end."""
        return False

    def supposed(self, state: Any, seat: Seat, dice: Dice) -> Any:
        """From an imagined state, another one that the seat cannot distinguish from it; by default imagined again."""
        return self.imagine(state, seat, dice)  # type: ignore[attr-defined]
