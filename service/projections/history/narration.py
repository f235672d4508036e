"""One sentence for every line of history, from tables of templates: another language is another table."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from string import Formatter
from typing import Any

from domain.game import AnyGame
from domain.play import bots, table
from domain.registry import GAMES
from domain.terms import SYSTEM, PlayerId, Seat
from service.projections.names import alike, clean_name, is_numbered

Sentences = Mapping[str, str | Sequence[str]]
Part = tuple[str, str | None, str]
"""Literal text, then the field that follows it (None at the end) and how it is told."""
Parts = tuple[Part, ...]
_NUMBERED = re.compile(r"[\W\d_]+\Z")
_OPTIONAL = re.compile(r"\[([^\]~]*)~?([^\]]*)\]")


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
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What keys are called, by how a field is told; one that is not here is told by the game's own (English) name."""


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


def seat_names(holders: Sequence[str | None], known: Mapping[PlayerId, str], language: str = "en") -> dict[Seat, str]:
    """What each seat is called: its player's name, its bot's, or its number; ``holders`` as in a lobby's chairs.

    Names that pass for each other, or for what the service itself says, are told apart by the number of the seat.
    """
    words = LANGUAGES[language]
    names = {}
    for number, holder in enumerate(holders, 1):
        kind, _, bot = (holder or "").partition(":")
        name = words.bot.format(bot) if kind == "bot" else clean_name(known.get(PlayerId(holder or ""), ""))
        if name and kind != "bot" and (is_numbered(name) or is_reserved(name)):
            name = words.twin.format(name, number)
        names[Seat(number)] = name or words.seat.format(number)
    twins: set[Seat] = set()
    while True:
        distinct = {seat: words.twin.format(name, seat) if seat in twins else name for seat, name in names.items()}
        looks = Counter(map(alike, distinct.values()))
        more = {seat for seat, name in distinct.items() if looks[alike(name)] > 1} - twins
        if not more:
            return distinct
        twins |= more


def is_reserved(name: str) -> bool:
    """Whether a player of this name would pass for somebody else whom history tells of; a number after it tells nobody apart."""
    unnumbered = _NUMBERED.sub("", unicodedata.normalize("NFKD", name))
    return not reserved().isdisjoint((alike(name), alike(unnumbered)))


@lru_cache(maxsize=1)
def reserved() -> frozenset[str]:
    """How the words look that no player may be called by, in every language.

    They are the service itself, a seat, a bot, nobody, and those who act on the board and are no players.
    """
    names = {bot for game in GAMES.values() for bot in bots.names(game)}
    taken = {"bot", "the bot", "system", *(f"bot {name}" for name in names)}
    for words in LANGUAGES.values():
        taken |= {words.system, words.nobody, words.nothing, *(words.seat.format(n) for n in ("", *range(100)))}
        taken |= {words.bot.format(name) for name in names} | {f"{name} bot" for name in names}
    for game in GAMES.values():
        taken |= {form for name in game.actors for form in (name, f"the {name}", name.removeprefix("the "))}
    return frozenset(map(alike, taken))


@lru_cache(maxsize=4096)
def _pieces(template: str) -> tuple[tuple[Parts, bool, Parts], ...]:
    """A template in pieces: the parts, whether they are optional, and what is told in place of optional ones.

    ``[; amulets: {rolls:list}]`` is told only where every field in it holds something; ``[{cards:cards}~no cards]``
    says what is told otherwise.
    """
    texts = _OPTIONAL.split(template)
    plain = [(_parts(text), False, ()) for text in texts[::3]]
    optional = [(_parts(text), True, _parts(other)) for text, other in zip(texts[1::3], texts[2::3], strict=True)]
    return tuple(piece for pair in zip_longest(plain, optional) for piece in pair if piece is not None)


def _parts(text: str) -> Parts:
    return tuple((text, name, spec or "") for text, name, spec, _ in Formatter().parse(text))


class Narrator:
    """Tells the lines of one game to one reader."""

    def __init__(self, game: AnyGame, names: Mapping[Seat, str], language: str = "en") -> None:
        self._words = LANGUAGES[language]
        self._sentences = {**self._words.games.get(game.key, game.sentences), **self._words.table}
        self._called = {**game.names, **self._words.names}
        self._names = names
        self._game = game
        self._forms: dict[str, Callable[[Any], str]] = {
            "": self._plain,
            "seat": self._seat,
            "seats": lambda seats: self._listed(seats, self._seat),
            "list": lambda things: self._listed(things, _readable),
        }

    def tell(self, line: Mapping[str, Any]) -> str:
        """The sentence for a line as `reveal` shows it; of several templates the first whose fields are all shown."""
        templates = self._sentences.get(line["type"], ())
        for template in (templates,) if isinstance(templates, str) else templates:
            pieces = _pieces(template)
            if all(_all_shown(line, parts) for parts, _, _ in pieces):
                chosen = (
                    other if optional and not _all_hold(line, parts) else parts for parts, optional, other in pieces
                )
                return _begun(
                    "".join(text + self._field(line, name, how) for parts in chosen for text, name, how in parts)
                )
        return _begun(_readable(line["type"]) + ".")

    def _field(self, line: Mapping[str, Any], name: str | None, spec: str) -> str:
        if name is None:
            return ""
        if "|" in spec:  # {steps:step|steps}
            one, _, many = spec.partition("|")
            return one if _how_many(line[name]) == 1 else many
        return self._formed(spec, line[name])

    def _formed(self, form: str, value: Any) -> str:
        """A value in one of the forms of every game, or of this one; any other form is a kind of name."""
        if form in self._forms:
            return self._forms[form](value)
        if form in self._game.lists:
            each = self._game.lists[form]
            return self._listed(_counted(self._formed(each, thing) for thing in value), str)
        if form in self._game.forms:
            return self._game.forms[form](value, self._named)
        return self._named(form, value)

    def _named(self, kind: str, key: Any) -> str:
        return self._called.get(kind, {}).get(key) or _readable(key)

    def _plain(self, value: Any) -> str:
        return self._listed(value, _readable) if isinstance(value, list | tuple) else str(value)

    def _seat(self, seat: Any) -> str:
        number = Seat(int(seat))
        return self._words.system if number == SYSTEM else self._names.get(number, self._words.seat.format(number))

    def _listed(self, things: Any, tell: Callable[[Any], str]) -> str:
        words = [tell(thing) for thing in things]
        if not words:
            return self._words.nobody if tell == self._seat else self._words.nothing
        return ", ".join(words[:-1]) + (self._words.joint if len(words) > 1 else "") + words[-1]


def _readable(thing: Any) -> str:
    return str(thing).replace("_", " ")


def _all_shown(line: Mapping[str, Any], parts: Parts) -> bool:
    return all(name is None or line.get(name) is not None for _, name, _ in parts)


def _all_hold(line: Mapping[str, Any], parts: Parts) -> bool:
    """Whether every field holds something; a number always does."""
    return all(name is None or isinstance(line.get(name), int) or line.get(name) for _, name, _ in parts)


def _how_many(value: Any) -> int:
    """A number as it is, the length of a list, the sum of what is counted by kind."""
    if isinstance(value, int):
        return value
    return sum(value.values()) if isinstance(value, Mapping) else len(value)


def _counted(things: Iterable[str]) -> list[str]:
    """Each thing once, with how many there are."""
    return [
        thing if number == 1 else f"{thing} \N{MULTIPLICATION SIGN}{number}"
        for thing, number in Counter(things).items()
    ]


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
