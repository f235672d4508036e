"""Choosing a command from Options: by hand, in a terminal, or by a bot that knows nothing else."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from domain.dice import Dice
from domain.options import command_of, from_json, pick
from domain.terms import Integer, OneOf, Open, Option, Scalar, SubsetOf

Command = dict[str, Any]
LONG = 12
"""Choices up to so many are listed; of more, one is found by a part of its name."""


class Back(Exception):
    """The player wants to choose again."""


def read_options(document: Mapping[str, Any]) -> tuple[list[Option], list[Option]]:
    """The Options of the game and of the table, from the answer of ``GET options``."""
    return [from_json(each) for each in document["options"]], [from_json(each) for each in document["table"]]


# -- bots --------------------------------------------------------------------------------------------------------------


class RandomBot:
    """An Option uniformly, then each of its parameters."""

    def __init__(self, seed: bytes | None = None) -> None:
        self.dice = Dice(seed or secrets.token_bytes(32))

    def choose(self, options: Sequence[Option]) -> Command:
        return pick(options, self.dice)


class GreedyBot(RandomBot):
    """Would rather do something than nothing, and rather something else than the same again.

    A kind of command uniformly, so that the many ways to do one thing do not drown the others; those that take no
    parameter (they mostly end or give up something) come one time in ten, or when there is nothing else.
    """

    def choose(self, options: Sequence[Option]) -> Command:
        plain = [option for option in options if not option.fixed and not option.open]
        rich = [option for option in options if option not in plain]
        among = plain if plain and (not rich or self.dice.below(10) == 0) else rich
        kind = self.dice.choose(sorted({option.type for option in among}))
        return pick([option for option in among if option.type == kind], self.dice)


BOTS: Mapping[str, type[RandomBot]] = {"random": RandomBot, "greedy": GreedyBot}


# -- by hand -----------------------------------------------------------------------------------------------------------


def ask(options: Sequence[Option], table: Sequence[Option], word: Callable[[str], str] = str) -> Command | None:
    """The command that the player builds, step by step; None to look again. An empty answer goes one step back.

    ``word`` is how the game has a choice read.
    """
    return Prompt(word).ask(options, table)


class Prompt:
    """The questions to a player, with the choices in the words of one game."""

    def __init__(self, word: Callable[[str], str] = str) -> None:
        self._game_word = word

    def ask(self, options: Sequence[Option], table: Sequence[Option]) -> Command | None:
        """See `ask`."""
        while True:
            kinds = list(dict.fromkeys(option.type for option in options))
            rows = [self._kind_row(kind, [o for o in options if o.type == kind]) for kind in kinds]
            rows += [f"{option.type} (at any time)" for option in table]
            chosen = _number("What do you do?", rows, "look again")
            if chosen is None:
                return None
            try:
                if chosen >= len(kinds):
                    return self._sure(table[chosen - len(kinds)])
                return self._fill(self._variant([option for option in options if option.type == kinds[chosen]]))
            except Back:
                continue

    def _sure(self, option: Option) -> Command:
        if not click.confirm(f"{option.type}: are you sure?"):
            raise Back
        return self._fill(option)

    def _kind_row(self, kind: str, options: Sequence[Option]) -> str:
        more = self.describe(options[0]) if len(options) == 1 else f"{len(options)} ways"
        return f"{kind.replace('_', ' ')}{': ' + more if more else ''}"

    def describe(self, option: Option) -> str:
        """What an Option says besides its type."""
        fixed = [f"{name} {self.word(value)}" for name, value in option.fixed.items()]
        return ", ".join(fixed + [f"{part.name} {self._range(part)}" for part in option.open])

    def _range(self, part: Open) -> str:
        match part:
            case OneOf(_, choices):
                return self.word(choices[0]) if len(choices) == 1 else f"of {len(choices)}"
            case SubsetOf(_, choices, low, high):
                return f"{low if low == high else f'{low}-{high}'} of {len(choices)}"
            case Integer(_, low, high):
                return f"{low}-{high}"

    def _variant(self, options: Sequence[Option]) -> Option:
        """One of several Options of a type: by their fixed parameters, one after another."""
        left = list(options)
        for name in dict.fromkeys(name for option in options for name in option.fixed):
            values = list(dict.fromkeys(repr(option.fixed.get(name)) for option in left))
            if len(values) > 1:
                shown = {repr(option.fixed.get(name)): option.fixed.get(name) for option in left}
                value = self._one(name, [shown[key] for key in values])
                left = [option for option in left if repr(option.fixed.get(name)) == repr(value)]
        if len(left) == 1:
            return left[0]
        chosen = _number("Which way?", [self.describe(option) or "(nothing more)" for option in left], "back")
        if chosen is None:
            raise Back
        return left[chosen]

    def _fill(self, option: Option) -> Command:
        """The command, with every open parameter asked for."""
        return command_of(option, self._open)

    def _open(self, part: Open) -> Any:
        match part:
            case OneOf(name, choices):
                return choices[0] if len(choices) == 1 else self._one(name, choices)
            case SubsetOf(name, choices, low, high):
                return list(choices) if low == high == len(choices) else self._some(name, choices, low, high)
            case Integer(name, low, high):
                return low if low == high else _between(name, low, high)

    def _one(self, name: str, choices: Sequence[Any]) -> Any:
        chosen = _number(f"{name}?", [self.word(choice) for choice in choices], "back")
        if chosen is None:
            raise Back
        return choices[chosen]

    def _some(self, name: str, choices: Sequence[Scalar], low: int, high: int) -> list[Scalar]:
        _list([self.word(choice) for choice in choices])
        many = str(low) if low == high else f"{low} to {high}"
        while True:
            answer = click.prompt(f"{name}: {many} of these (numbers; - for none)", default="", show_default=False)
            if not answer.strip():
                raise Back
            words = [] if answer.strip() == "-" else answer.replace(",", " ").split()
            picked = {int(word) for word in words if word.isdecimal()}
            if len(picked) == len(words) and low <= len(picked) <= high and picked <= set(range(1, len(choices) + 1)):
                return [choices[number - 1] for number in sorted(picked)]
            click.echo(f"That is not {many} of the numbers.")

    def word(self, value: Any) -> str:
        """A choice for reading: texts in the words of the game, lists joined."""
        if isinstance(value, list | tuple):
            return " + ".join(map(self.word, value)) or "nothing"
        if isinstance(value, str):
            return self._game_word(value) or "(none)"
        return str(value)


def _between(name: str, low: int, high: int) -> int:
    while True:
        answer = click.prompt(f"{name} ({low} to {high})", default="", show_default=False)
        if not answer.strip():
            raise Back
        if answer.strip().lstrip("-").isdecimal() and low <= int(answer) <= high:
            return int(answer)
        click.echo("That is not a number between them.")


def _number(question: str, rows: Sequence[str], empty: str) -> int | None:
    """The place of the row that is chosen, by its number or by a part of it that no other has; None for no answer."""
    if len(rows) <= LONG:
        _list(rows)
    else:
        click.echo(", ".join(f"{number} {row}" for number, row in enumerate(rows, 1)))
    while True:
        answer = click.prompt(f"{question} (Enter: {empty})", default="", show_default=False).strip()
        if not answer:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= len(rows):
            return int(answer) - 1
        exact = [place for place, row in enumerate(rows) if row.lower() == answer.lower()]
        found = exact or [place for place, row in enumerate(rows) if answer.lower() in row.lower()]
        if len(found) == 1:
            return found[0]
        click.echo("There is no such choice." if not found else "Several begin like that; say more.")


def _list(rows: Iterable[str]) -> None:
    for number, row in enumerate(rows, 1):
        click.echo(f"  {number:2}  {row}")
