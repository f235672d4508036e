"""One sentence for every line of history, from tables of templates: another language is another table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from domain.game import AnyGame
from domain.terms import SYSTEM, Seat
from service.pace.zones import zone_of
from service.projections.history.language import LANGUAGES, Words
from service.projections.history.phrases import Form, Phrase

MOST_CLAUSES = 4
"""So many things that one seat does stand in one sentence of a paragraph."""


class Sentence(NamedTuple):
    """A sentence, and how it goes on where the one before has named the same seat."""

    text: str
    subject: Seat | None
    """The seat with which it begins."""
    predicate: str
    """What it says of the seat, up to the full stop; empty if it begins with none."""


class Narrator:
    """Tells the lines of one game to one reader."""

    def __init__(self, game: AnyGame, names: Mapping[Seat, str], language: str = "en") -> None:
        self._words = LANGUAGES[language]
        own = self._words.games.get(game.key) or Words(game.sentences, game.remarks, game.asks, game.openings)
        self._sentences = {**own.sentences, **own.remarks, **self._words.table}
        self._asks, self._openings = {**own.asks, **self._words.asked}, own.openings
        self._called = {**game.names, **self._words.names}
        self._names = names
        self._game = game
        self._read: dict[tuple[str, ...], tuple[Phrase, ...]] = {}
        """The phrases of the templates that were met: many lines are told by few."""
        self._forms: dict[str, Form] = {
            "": self._plain,
            "seat": self._seat,
            "quoted": self._quoted,
            "seats": lambda seats: self._listed(seats, self._seat),
            "list": lambda things: self._listed(things, _readable),
            "standings": lambda scores: self._listed(scores, lambda seat: f"{self._seat(seat)} {scores[seat]}"),
        }

    def tell(self, line: Mapping[str, Any]) -> str:
        """The sentence for a line as `reveal` shows it; of several templates the first whose fields are all shown."""
        gloss = self._game.gloss(line)
        told = {**gloss, **line}
        phrase = self._phrase(self._templates(line["type"], gloss), told)
        text = "" if phrase is None else "".join(phrase.words(told))
        return _begun(text or _readable(line["type"]) + ".")

    def heading(self, line: Mapping[str, Any]) -> str | None:
        """The heading of the paragraph that begins with the line, maybe an empty one; None if none begins with it."""
        gloss = self._game.gloss(line)
        template = self._openings.get(f"{line['type']}.{gloss.get('manner')}", self._openings.get(line["type"]))
        return None if template is None else _begun(self._told(template, {**gloss, **line})[0])

    @property
    def has_openings(self) -> bool:
        """Whether the game's paragraphs begin with lines of theirs; else each commit is one."""
        return bool(self._openings)

    def ask(self, question: Mapping[str, Any]) -> str:
        """What a seat is to answer, from a standing question as everybody may read it."""
        said = {"seat": question["seat"], **question["about"]}
        template = self._asks.get(question["kind"])
        text = "" if template is None else self._told(template, said)[0]
        return _begun(text or _readable(question["kind"]) + ".")

    def addressed(self, seat: Seat, text: str) -> str:
        """What is said to a seat, for others to read: with its name before it."""
        return f"{self._seat(seat)}: {text}"

    def due(self, instant: int, zone: str = "UTC") -> str:
        """By when, of an instant in milliseconds of Unix time, as the clocks of a time zone have it."""
        return self._words.due.format(stamp(instant, zone))

    def paragraph(self, lines: Sequence[Mapping[str, Any]]) -> str:
        """What the lines of one paragraph tell together: a seat that goes on acting is not named again."""
        texts: list[str] = []
        subject, clauses = None, 0
        for sentence in map(self._sentence, self._game.condense(lines)):
            if sentence.predicate and sentence.subject == subject and clauses < MOST_CLAUSES:
                clauses += 1
                texts[-1] = texts[-1].removesuffix(".") + self._words.then + sentence.predicate
            elif sentence.text:
                texts.append(sentence.text)
                subject, clauses = sentence.subject if sentence.predicate else None, 1
        return " ".join(texts)

    def _sentence(self, line: Mapping[str, Any]) -> Sentence:
        gloss = self._game.gloss(line)
        text, predicate, subject = self._told(self._templates(line["type"], gloss), {**gloss, **line})
        return Sentence(_begun(text or _readable(line["type"]) + "."), subject, predicate)

    def _templates(self, type_: str, gloss: Mapping[str, Any]) -> str | Sequence[str]:
        """How a line of this type is told, in the manner that its gloss says."""
        manner = gloss.get("manner")
        template = self._sentences.get(f"{type_}.{manner}") if manner else None
        return self._sentences.get(type_, ()) if template is None else template

    def _told(self, templates: str | Sequence[str], line: Mapping[str, Any]) -> tuple[str, str, Seat | None]:
        """As `Phrase.parted`, by the first of the templates that fits; nothing where none does."""
        phrase = self._phrase(templates, line)
        return ("", "", None) if phrase is None else phrase.parted(line)

    def _phrase(self, templates: str | Sequence[str], line: Mapping[str, Any]) -> Phrase | None:
        """The first whose fields are all shown."""
        several = (templates,) if isinstance(templates, str) else tuple(templates)
        phrases = self._read.get(several)
        if phrases is None:
            phrases = self._read[several] = tuple(Phrase(each, self._form) for each in several)
        for phrase in phrases:
            if phrase.fits(line):
                return phrase
        return None

    def _form(self, how: str) -> Form:
        """One of the forms of every game, or of this one; any other is a kind of name."""
        if "|" in how:  # {steps:step|steps}
            one, _, many = how.partition("|")
            return lambda value: one if _how_many(value) == 1 else many
        if how in self._forms:
            return self._forms[how]
        if how in self._game.lists:
            each = self._form(self._game.lists[how])
            return lambda things: self._listed(_counted(map(each, things)), str)
        if how in self._game.forms:
            form = self._game.forms[how]
            return lambda value: form(value, self._named)
        return lambda key: self._named(how, key)

    def _named(self, kind: str, key: Any) -> str:
        if kind == "seat":
            return self._seat(key)
        return self._called.get(kind, {}).get(key) or _readable(key)

    def _plain(self, value: Any) -> str:
        return self._listed(value, _readable) if isinstance(value, list | tuple) else str(value)

    def _seat(self, seat: Any) -> str:
        number = Seat(int(seat))
        if number == SYSTEM:
            return self._words.system
        name = self._names.get(number)
        return self._words.seat.format(number) if name is None else name

    def _quoted(self, words: str) -> str:
        """What somebody has said, on one line, so that nothing in it passes for what is told."""
        begin, end = self._words.unit.split("{}")
        plain = " ".join(words.split()).translate({ord(mark): "'" for mark in begin + end})
        return self._words.unit.format(plain)

    def _listed(self, things: Any, tell: Callable[[Any], str]) -> str:
        words = [tell(thing) for thing in things]
        if not words:
            return self._words.nobody if tell == self._seat else self._words.nothing
        return ", ".join(words[:-1]) + (self._words.joint if len(words) > 1 else "") + words[-1]


def _readable(thing: Any) -> str:
    return str(thing).replace("_", " ")


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


def stamp(instant: int, zone: str = "UTC") -> str:
    """An instant in milliseconds of Unix time, as the clocks of a time zone have it: ``2030-01-31 16:00 UTC``."""
    then = datetime.fromtimestamp(instant / 1000, UTC).astimezone(zone_of(zone))
    return f"{then:%Y-%m-%d %H:%M} {zone if zone == 'UTC' else f'({zone})'}"


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
