"""One sentence for every line of history, from tables of templates: another language is another table."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from string import Formatter
from typing import Any

from domain import table
from domain.game import AnyGame
from domain.terms import SYSTEM, Seat

LONGEST_NAME = 40
Sentences = Mapping[str, str | Sequence[str]]
Part = tuple[str, str | None, str]
"""Literal text, then the field that follows it (None at the end) and how it is told."""


@dataclass(frozen=True, slots=True)
class Language:
    """The words that templates are filled with, and the templates themselves where they are not the game's own."""

    system: str
    seat: str
    bot: str
    twin: str
    """Two seats with the same name are told apart by it."""
    nobody: str
    nothing: str
    joint: str
    """Between the last two things of a list."""
    table: Sentences
    games: Mapping[str, Sentences] = field(default_factory=dict)
    """By the key of the game; a game that is not here tells its own (English) sentences."""


LANGUAGES = {
    "en": Language(
        system="The game",
        seat="Seat {}",
        bot="the {} bot",
        twin="{} ({})",
        nobody="nobody",
        nothing="nothing",
        joint=" and ",
        table=table.SENTENCES,
    )
}


def clean_name(text: str) -> str:
    """A name without control and formatting characters and without needless spaces, at most forty characters long."""
    kept = "".join(" " if char.isspace() else char for char in text if _is_plain(char))
    return " ".join(unicodedata.normalize("NFC", kept).split())[:LONGEST_NAME].strip()


def _is_plain(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def seat_names(holders: Sequence[str | None], known: Mapping[str, str], language: str = "en") -> dict[Seat, str]:
    """What each seat is called: its player's name, its bot's, or its number; ``holders`` as in a lobby's chairs."""
    words = LANGUAGES[language]
    names = {}
    for number, holder in enumerate(holders, 1):
        kind, _, bot = (holder or "").partition(":")
        name = words.bot.format(bot) if kind == "bot" else clean_name(known.get(holder or "", ""))
        names[Seat(number)] = name or words.seat.format(number)
    told = list(names.values())
    return {seat: words.twin.format(name, seat) if told.count(name) > 1 else name for seat, name in names.items()}


@lru_cache(maxsize=4096)
def _parts(template: str) -> tuple[Part, ...]:
    return tuple((text, name, spec or "") for text, name, spec, _ in Formatter().parse(template))


class Narrator:
    """Tells the lines of one game to one reader."""

    def __init__(self, game: AnyGame, names: Mapping[Seat, str], language: str = "en") -> None:
        self._words = LANGUAGES[language]
        self._sentences = {**self._words.games.get(game.key, game.sentences), **self._words.table}
        self._names = names
        self._told: dict[str, Callable[[Any], str]] = {
            "": self._plain,
            "seat": self._seat,
            "seats": lambda seats: self._listed(seats, self._seat),
            "card": _card,
            "cards": lambda cards: self._listed(_counted(map(_card, cards)), str),
            "square": str,
            "list": lambda things: self._listed(things, _readable),
        }

    def tell(self, line: Mapping[str, Any]) -> str:
        """The sentence for a line as `reveal` shows it; of several templates the first whose fields are all shown."""
        templates = self._sentences.get(line["type"], ())
        for template in (templates,) if isinstance(templates, str) else templates:
            parts = _parts(template)
            if all(name is None or line.get(name) is not None for _, name, _ in parts):
                return _begun("".join(text + self._field(line, name, spec) for text, name, spec in parts))
        return _begun(_readable(line["type"]) + ".")

    def _field(self, line: Mapping[str, Any], name: str | None, spec: str) -> str:
        return "" if name is None else self._told.get(spec, _readable)(line[name])

    def _plain(self, value: Any) -> str:
        return self._listed(value, _readable) if isinstance(value, list | tuple) else str(value)

    def _seat(self, seat: Any) -> str:
        number = Seat(int(seat))
        return self._words.system if number == SYSTEM else self._names.get(number, self._words.seat.format(number))

    def _listed(self, things: Any, tell: Callable[[Any], str]) -> str:
        told = [tell(thing) for thing in things]
        if not told:
            return self._words.nobody if tell == self._seat else self._words.nothing
        return ", ".join(told[:-1]) + (self._words.joint if len(told) > 1 else "") + told[-1]


def _readable(thing: Any) -> str:
    return str(thing).replace("_", " ")


def _card(card: Any) -> str:
    """A card by what it is, without the number that tells it from its like: ``frimen-islanders-3``."""
    return re.sub(r"(-\d+)?(~\d+)?$", "", str(card)).replace("-", " ").replace("_", " ")


def _counted(cards: Iterable[str]) -> list[str]:
    """Each kind of card once, with how many there are."""
    return [
        card if number == 1 else f"{card} \N{MULTIPLICATION SIGN}{number}" for card, number in Counter(cards).items()
    ]


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
