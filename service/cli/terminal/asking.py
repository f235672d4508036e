"""Builds a command from Options step by step. Each step can be undone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import click

from domain.kernel.options import command_of, from_json
from domain.kernel.terms import Integer, OneOf, Open, Option, Scalar, SubsetOf

Command = dict[str, Any]
LONG = 12
"""Maximum number of choices that are listed one per line. Longer lists are shown as a paragraph."""
HELP = """\
  a number, or enough of a name to identify one choice: choose it
  Enter or undo: go back one step; a command is sent only after its last step
  undo before the first step: undo your last command; other players may have to agree
  board: show the board again          legend: explain its symbols
  say TEXT: send a chat message to all players
  quit: leave; the game continues, and you can come back later
"""
"""The help text for players."""


class Back(Exception):
    """The player goes back one step."""


class Quit(Exception):
    """The player quits."""


def read_options(document: Mapping[str, Any]) -> tuple[list[Option], list[Option]]:
    """The Options of the game and of the table, from the response of ``GET options``."""
    return [from_json(each) for each in document["options"]], [from_json(each) for each in document["table"]]


class Prompt:
    """Prompts for a player, with the choices in the words of one game."""

    def __init__(
        self,
        word: Callable[[str], str] = str,
        standing: Collection[str] = (),
        aids: Mapping[str, Callable[[], None]] | None = None,
        talk: Callable[[str], None] | None = None,
        label: Callable[[str, str], str] | None = None,
    ) -> None:
        """``label`` names a command, or a parameter of it: ``label("build_road", "cards")``."""
        self._game_word = word
        self._standing = standing
        self._aids = aids or {}
        self._talk = talk
        self._label = label or (lambda kind, name: (name or kind).replace("_", " "))
        self._kind = ""
        self._answers: list[Any] = []
        self._place = 0

    def ask(self, options: Sequence[Option], table: Sequence[Option]) -> Command | None:
        """The command that the player builds; None to check for news. Raises `Quit`.

        Commands that are not answers to questions, such as standing orders, have a separate list.
        """
        self._answers = []
        while True:
            self._place = 0
            try:
                return self._command(options, table)
            except Back:
                if not self._answers:
                    return None
                self._answers.pop()

    def _step(self, question: Callable[[], Any]) -> Any:
        """The answer to one prompt. After an undo, the earlier answers are replayed."""
        if self._place == len(self._answers):
            self._answers.append(question())
        self._place += 1
        return self._answers[self._place - 1]

    def _command(self, options: Sequence[Option], table: Sequence[Option]) -> Command:
        asked = [option for option in options if option.type not in self._standing]
        orders = [option for option in options if option.type in self._standing]
        kinds = _kinds(asked)
        rows = [self._kind_row(kind, asked) for kind in kinds]
        if orders:
            rows.append("standing orders…")
        rows += [f"{self._row(option)} (at any time)" for option in table]
        chosen = self._choose("Choose an action", rows, "show the board again")
        if chosen < len(kinds):
            return self._fill(self._variant([option for option in asked if option.type == kinds[chosen]]))
        if orders and chosen == len(kinds):
            return self._order(orders)
        option = table[chosen - len(rows)]
        self._sure(option)
        return self._fill(option)

    def _order(self, orders: Sequence[Option]) -> Command:
        kinds = _kinds(orders)
        kind = kinds[self._choose("Choose a standing order", [self._kind_row(kind, orders) for kind in kinds])]
        return self._fill(self._variant([option for option in orders if option.type == kind]))

    def _sure(self, option: Option) -> None:
        """Confirm an action that cannot be undone."""

        def confirmed() -> bool:
            if not click.confirm(f"{self._label(option.type, '')}: are you sure?"):
                raise Back
            return True

        self._step(confirmed)

    def _kind_row(self, kind: str, among: Sequence[Option]) -> str:
        options = [option for option in among if option.type == kind]
        return self._row(options[0]) if len(options) == 1 else f"{self._label(kind, '')}: {len(options)} ways"

    def _row(self, option: Option) -> str:
        more = self.describe(option)
        return f"{self._label(option.type, '')}{': ' + more if more else ''}"

    def describe(self, option: Option) -> str:
        given = [(name, value) for name, value in option.fixed.items() if value not in ("", ())]
        fixed = [f"{self._named(option.type, name)} {self.word(value)}" for name, value in given]
        return ", ".join(fixed + [f"{self._named(option.type, part.name)} {self._range(part)}" for part in option.open])

    def _named(self, kind: str, name: str) -> str:
        """A parameter's name within a sentence."""
        label = self._label(kind, name)
        return label[:1].lower() + label[1:]

    def _range(self, part: Open) -> str:
        match part:
            case OneOf(_, choices):
                return self.word(choices[0]) if len(choices) == 1 else f"(one of {len(choices)})"
            case SubsetOf(_, choices, low, high):
                return f"({low if low == high else f'{low} to {high}'} of {len(choices)})"
            case Integer(_, low, high):
                return str(low) if low == high else f"({low} to {high})"

    def _variant(self, options: Sequence[Option]) -> Option:
        """Choose one of several Options of a type, by their fixed parameters in turn."""
        left, self._kind = list(options), options[0].type
        for name in dict.fromkeys(name for option in options for name in option.fixed):
            values = list(dict.fromkeys(repr(option.fixed.get(name)) for option in left))
            if len(values) > 1:
                shown = {repr(option.fixed.get(name)): option.fixed.get(name) for option in left}
                value = self._one(name, [shown[key] for key in values])
                left = [option for option in left if repr(option.fixed.get(name)) == repr(value)]
        if len(left) == 1:
            return left[0]
        return left[self._choose("Choose an option", [self.describe(option) or "(nothing more)" for option in left])]

    def _fill(self, option: Option) -> Command:
        self._kind = option.type
        return command_of(option, self._open)

    def _open(self, part: Open) -> Any:
        match part:
            case OneOf(name, choices):
                return choices[0] if len(choices) == 1 else self._one(name, choices)
            case SubsetOf(name, choices, low, high):
                if low == high == len(choices):
                    return list(choices)
                return self._step(lambda: self._some(name, choices, low, high))
            case Integer(name, low, high):
                return low if low == high else self._step(lambda: self._between(name, low, high))

    def _one(self, name: str, choices: Sequence[Any]) -> Any:
        return choices[self._choose(f"{self._label(self._kind, name)}?", [self.word(choice) for choice in choices])]

    def _choose(self, question: str, rows: Sequence[str], empty: str = "back") -> int:
        chosen: int = self._step(lambda: self._number(question, rows, empty))
        return chosen

    # -- one prompt -------------------------------------------------------------------------------------------------

    def _read(self, question: str, rows: Sequence[str] = ()) -> str:
        """One answer, after handling help and other aids. Raises `Back` for an empty one, and `Quit`."""
        exact = {row.lower() for row in rows}
        while True:
            answer = click.prompt(question, default="", show_default=False).strip()
            said = answer.lower()
            if said in exact:
                return str(answer)
            if said == "undo" and not self._answers and said in self._aids:
                self._aids[said]()
            if said in ("", "undo", "back"):
                raise Back
            if said in ("quit", "exit", "q"):
                raise Quit
            if said in ("help", "?"):
                click.echo(HELP, nl=False)
            elif said in self._aids:
                self._aids[said]()
            elif said.startswith("say ") and self._talk is not None:
                self._talk(answer[4:].strip())
            else:
                return str(answer)

    def _number(self, question: str, rows: Sequence[str], empty: str) -> int:
        """The index of the chosen row, by its number or a unique part of its text."""
        if len(rows) <= LONG:
            _list(rows)
        else:
            click.echo(click.wrap_text(", ".join(f"{n}\u00a0{row}" for n, row in enumerate(rows, 1)), _width()))
        while True:
            answer = self._read(f"{question} (Enter: {empty}; ?: help)", rows)
            if answer.isdecimal() and 1 <= int(answer) <= len(rows):
                return int(answer) - 1
            exact = [place for place, row in enumerate(rows) if row.lower() == answer.lower()]
            found = exact or [place for place, row in enumerate(rows) if answer.lower() in row.lower()]
            if len(found) == 1:
                return found[0]
            click.echo("There is no such choice." if not found else "Several choices match. Type more of the name.")

    def _some(self, name: str, choices: Sequence[Scalar], low: int, high: int) -> list[Scalar]:
        _list([self.word(choice) for choice in choices])
        many = str(low) if low == high else f"{low} to {high}"
        none = "; - for none" if low == 0 else ""
        while True:
            answer = self._read(f"{self._label(self._kind, name)}: {many} of these (their numbers{none}; Enter: back)")
            words = [] if answer == "-" else answer.replace(",", " ").split()
            picked = {int(word) for word in words if word.isdecimal()}
            if len(picked) == len(words) and low <= len(picked) <= high and picked <= set(range(1, len(choices) + 1)):
                return [choices[number - 1] for number in sorted(picked)]
            click.echo(f"Enter {many} of the numbers.")

    def _between(self, name: str, low: int, high: int) -> int:
        while True:
            answer = self._read(f"{self._label(self._kind, name)} ({low} to {high}; Enter: back)")
            if answer.lstrip("-").isdecimal() and low <= int(answer) <= high:
                return int(answer)
            click.echo("Enter a number in this range.")

    def word(self, value: Any) -> str:
        """A choice as text: strings in the words of the game, lists joined."""
        if isinstance(value, list | tuple):
            return " + ".join(map(self.word, value)) or "nothing"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return self._game_word(value) or "(none)"
        return str(value)


def _kinds(options: Iterable[Option]) -> list[str]:
    return list(dict.fromkeys(option.type for option in options))


def _width() -> int:
    return min(100, shutil.get_terminal_size().columns)


def _list(rows: Iterable[str]) -> None:
    for number, row in enumerate(rows, 1):
        click.echo(f"  {number:2}  {row}")
