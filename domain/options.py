"""Working with Options: their JSON, whether one offers a command, a uniform choice among them, and what is planned of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb, prod
from typing import Any

from domain.dice import Dice
from domain.terms import Integer, OneOf, Open, Option, Seat, SubsetOf

MOST = 5_000
"""The most Options in one answer. A game that has more stops listing at one more than this, which shows that some are left out."""

MOST_BYTES = 1_000_000
"""How large the JSON of one answer may be."""


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
    named = parts_by_name(option)
    return fixed and all(
        _within(parts[0], params[name]) if len(parts) == 1 else _divided(parts, params[name])
        for name, parts in named.items()
    )


def parts_by_name(option: Option) -> dict[str, list[Open]]:
    """The open parts by parameter: one for each, or several of a list that is chosen part by part."""
    named: dict[str, list[Open]] = {}
    for part in option.open:
        named.setdefault(part.name, []).append(part)
    return named


def command_of(option: Option, choose: Callable[[Open], Any]) -> dict[str, Any]:
    """The command, as JSON with its type, of what is chosen for each open part."""
    chosen: dict[str, Any] = {}
    for part in option.open:
        value = choose(part)
        chosen[part.name] = [*chosen[part.name], *value] if part.name in chosen else value
    return {"type": option.type, **option.fixed, **chosen}


def first(part: Open) -> Any:
    """The first choice there is, or so many of the first as there must be."""
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
    """How many different commands the Option stands for."""
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
    """Every command the Option stands for, as JSON with its type."""
    for values in _combined(option.open):
        chosen = iter(values)
        yield command_of(option, lambda _, chosen=chosen: next(chosen))  # type: ignore[misc]


def _combined(parts: Sequence[Open]) -> Iterator[tuple[Any, ...]]:
    """Every combination of the parts' values, one at a time: there may be more than fit into memory."""
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
    """A command at random, as JSON with its type: an Option uniformly, then each of its open parameters."""
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
    """The part of a game (`domain.game.Game`) that its standing orders are shown by; a game without any leaves it as it is."""

    unasked: Collection[str] = ()
    """The types of the commands that a seat may send without being asked, such as standing orders."""
    orderable: Collection[str] = ()
    """The kinds of questions that standing orders may answer."""

    def orders(self, state: Any, seat: Seat) -> Sequence[Mapping[str, Any]]:  # noqa: ARG002
        """The orders that the seat has given and that stand, each as the line of history that tells it."""
        return ()

    def resting(self, state: Any, seats: Collection[Seat]) -> Any:  # noqa: ARG002
        """The same state as if these seats had given no orders: what is decided by it happens to the state itself."""
        return state

    def by_orders(self, then: Any, seat: Seat, now: Any) -> Mapping[str, Any] | None:  # noqa: ARG002
        """How the orders that the seat has in ``now`` answer the question that it is asked in ``then``, a state of the same game.

        The command as JSON with its type, the first of several; None where they leave the question to the seat.
        """
        return None


class Planning:
    """The part of a game (`domain.game.Game`) that planned turns need; each thing has a default with which they work."""

    answers: Mapping[str, Collection[str]] = {}
    """The types of the commands that may answer each kind of question put to a seat: what is planned waits for one of them.

    With none it waits for any question.
    """
    endings: Mapping[str, Mapping[str, Any]] = {}
    """The command (as JSON with its type) that ends a turn, by the kinds of questions that are asked in it."""

    def on_turn(self, state: Any) -> Seat | None:  # noqa: ARG002
        """The seat whose turn it is, also while others are asked something during it; None if no seat has a turn.

        A plan that has begun waits while others are asked something in its seat's turn. Without turns it never waits.
        """
        return None

    def passes(self, event: Any, seat: Seat) -> bool:  # noqa: ARG002
        """Whether an event only leads from one turn to the next, so that for the seat the board stands as it stood.

        What the seat has planned for as long as nothing changes is still played after it.
        """
        return False


Scored = tuple[float, Mapping[str, Any]]
"""A command as JSON with its type, and what it seems to be worth by a measure of the game's own: the more, the better."""


class Searching:
    """The part of a game (`domain.game.Game`) that who searches goes by (`domain.play.bots.search`); each thing has a default.

    All of it is asked of imagined states alone.
    """

    adept: Callable[[Any, Seat, Dice], Mapping[str, Any]] | None = None
    """A bot that plays better than the game's usual one, and as fast: the higher levels begin with its choice, and it plays on in their trials.

    None where the usual one is all there is.
    """
    fits: Mapping[str, Mapping[str, Any]] = {}
    """By the names of `features`, sorted and parted by spaces: under ``weights`` what each adds to the logarithm of the odds of winning.

    They are fitted to games by ``oraclewheel simulate --fit``, and the rest of it says to which. What has no fit is not used.
    """

    outlooks: Mapping[str, Mapping[str, Any]] = {}
    """By the time of the game as `outlook` calls it: under ``weights`` how many points each of what it tells still brings, and under
    ``spread`` for how many points more odds of winning grow by e. They are fitted as `fits` are.
    """

    def policy(self, state: Any, seat: Seat) -> Sequence[Scored]:  # noqa: ARG002
        """Commands that may be worth a thought for a seat that is asked, the best first; empty where the game has no opinion."""
        return ()

    def features(self, state: Any, seat: Seat) -> Mapping[str, float]:  # noqa: ARG002
        """What tells how a seat stands, as numbers of about the size of 1; empty where `standings` must do."""
        return {}

    def outlook(self, state: Any) -> tuple[str, Mapping[Seat, Mapping[str, float]]] | None:  # noqa: ARG002
        """What time of the game it is, and what tells how many points each seat still gets; nothing where that is not asked."""
        return None

    def far_enough(self, start: Any, state: Any) -> bool:  # noqa: ARG002
        """Whether play that was imagined from ``start`` on need not be followed beyond this state; by default it is to the end."""
        return False

    def supposed(self, state: Any, seat: Seat, dice: Dice) -> Any:
        """From a state that is imagined already another one that the seat cannot tell from it: by default imagined anew."""
        return self.imagine(state, seat, dice)  # type: ignore[attr-defined]
