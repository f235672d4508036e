"""One sentence for each line of history, from templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from domain.kernel.game import AnyGame
from domain.kernel.terms import SYSTEM, Seat
from service.core.history.language import LANGUAGES, GameTemplates
from service.core.history.phrases import Form, Phrase
from service.core.pace.zones import zone_of

MAX_CLAUSES = 4
"""The most clauses about the same seat that one sentence of a paragraph joins."""


class Sentence(NamedTuple):
    """A sentence, and the part to append to a previous sentence about the same seat."""

    text: str
    subject: Seat | None
    """The seat with which it begins; None if it begins with none."""
    predicate: str
    """The rest of the sentence with its full stop; empty if it begins with no seat."""


class Narrator:
    """Turns the lines of one game into sentences for one reader."""

    def __init__(self, game: AnyGame, names: Mapping[Seat, str], language: str = "en") -> None:
        self._words = LANGUAGES[language]
        own = self._words.games.get(game.key) or GameTemplates(
            game.presentation.sentences, game.presentation.remarks, game.presentation.asks, game.presentation.openings
        )
        self._sentences = {**own.sentences, **own.remarks, **self._words.table}
        self._asks, self._openings = {**own.asks, **self._words.asked}, own.openings
        self._names_by_kind = {**game.presentation.names, **self._words.names}
        self._names = names
        self._game = game
        self._phrases: dict[tuple[str, ...], tuple[Phrase, ...]] = {}
        """Parsed templates: a few templates serve many lines."""
        self._forms: dict[str, Form] = {
            "": self._format_value,
            "seat": self._format_seat,
            "quoted": self._quote,
            "seats": lambda seats: self._join(seats, self._format_seat),
            "list": lambda things: self._join(things, _to_words),
            "standings": lambda scores: ", ".join(f"{self._format_seat(seat)} {scores[seat]}" for seat in scores),
        }

    def narrate(self, line: Mapping[str, Any]) -> str:
        """The sentence for a line as `reveal` returns it, from the first template whose fields are all visible."""
        gloss = self._game.presentation.gloss(line)
        fields = {**gloss, **line}
        phrase = self._find_phrase(self._templates(line["type"], gloss), fields)
        text = "" if phrase is None else "".join(phrase.fill(fields))
        return _capitalize(text or _to_words(line["type"]) + ".")

    def find_heading(self, line: Mapping[str, Any]) -> str | None:
        """The heading of the paragraph that begins with this line, possibly empty; None if none begins here."""
        gloss = self._game.presentation.gloss(line)
        template = self._openings.get(f"{line['type']}.{gloss.get('manner')}", self._openings.get(line["type"]))
        return None if template is None else _capitalize(self._fill(template, {**gloss, **line})[0])

    @property
    def has_openings(self) -> bool:
        """Whether the game's lines open paragraphs. Otherwise each commit is a paragraph."""
        return bool(self._openings)

    def describe_question(self, question: Mapping[str, Any]) -> str:
        """The public text of a pending question."""
        fields = {"seat": question["seat"], **question["about"]}
        template = self._asks.get(question["kind"])
        text = "" if template is None else self._fill(template, fields)[0]
        return _capitalize(text or _to_words(question["kind"]) + ".")

    def address(self, seat: Seat, text: str) -> str:
        """A message to a seat, prefixed with the seat's name for other readers."""
        return f"{self._format_seat(seat)}: {text}"

    def describe_deadline(self, instant: int, zone: str = "UTC") -> str:
        """A deadline as text. ``instant`` is in milliseconds of Unix time, shown in the time zone."""
        return self._words.due.format(format_instant(instant, zone))

    def write_paragraph(self, lines: Sequence[Mapping[str, Any]]) -> str:
        """The lines of one paragraph as text. Consecutive clauses about a seat name it once."""
        texts: list[str] = []
        subject, clauses = None, 0
        for sentence in map(self._sentence, self._game.presentation.condense(lines)):
            if sentence.predicate and sentence.subject == subject and clauses < MAX_CLAUSES:
                clauses += 1
                texts[-1] = texts[-1].removesuffix(".") + self._words.then + sentence.predicate
            elif sentence.text:
                texts.append(sentence.text)
                subject, clauses = sentence.subject if sentence.predicate else None, 1
            if "; " in sentence.predicate:  # its end has a subject of its own
                subject = None
        return " ".join(texts)

    def _sentence(self, line: Mapping[str, Any]) -> Sentence:
        gloss = self._game.presentation.gloss(line)
        text, predicate, subject = self._fill(self._templates(line["type"], gloss), {**gloss, **line})
        return Sentence(_capitalize(text or _to_words(line["type"]) + "."), subject, predicate)

    def _templates(self, type_: str, gloss: Mapping[str, Any]) -> str | Sequence[str]:
        """The templates for a line of this type, in the manner that its gloss gives."""
        manner = gloss.get("manner")
        template = self._sentences.get(f"{type_}.{manner}") if manner else None
        return self._sentences.get(type_, ()) if template is None else template

    def _fill(self, templates: str | Sequence[str], line: Mapping[str, Any]) -> tuple[str, str, Seat | None]:
        """As `Phrase.parted`, with the first template that fits; empty if none fits."""
        phrase = self._find_phrase(templates, line)
        return ("", "", None) if phrase is None else phrase.split_subject(line)

    def _find_phrase(self, templates: str | Sequence[str], line: Mapping[str, Any]) -> Phrase | None:
        """The first template whose fields are all visible; None if every template has a hidden field."""
        several = (templates,) if isinstance(templates, str) else tuple(templates)
        phrases = self._phrases.get(several)
        if phrases is None:
            phrases = self._phrases[several] = tuple(Phrase(each, self._find_form) for each in several)
        for phrase in phrases:
            if phrase.fits(line):
                return phrase
        return None

    def _find_form(self, how: str) -> Form:
        """A common form, a form of the game, or the lookup for a kind of name."""
        if "|" in how:  # {steps:step|steps}
            one, _, many = how.partition("|")
            return lambda value: one if _count(value) == 1 else many
        if how in self._forms:
            return self._forms[how]
        if how in self._game.presentation.lists:
            each = self._find_form(self._game.presentation.lists[how])
            return lambda things: self._join(_merge_repeated(map(each, things)), str)
        if how in self._game.presentation.forms:
            form = self._game.presentation.forms[how]
            return lambda value: form(value, self._get_name)
        return lambda key: self._get_name(how, key)

    def _get_name(self, kind: str, key: Any) -> str:
        if kind == "seat":
            return self._format_seat(key)
        return self._names_by_kind.get(kind, {}).get(key) or _to_words(key)

    def _format_value(self, value: Any) -> str:
        return self._join(value, _to_words) if isinstance(value, list | tuple) else str(value)

    def _format_seat(self, seat: Any) -> str:
        number = Seat(int(seat))
        if number == SYSTEM:
            return self._words.system
        name = self._names.get(number)
        return self._words.seat.format(number) if name is None else name

    def _quote(self, words: str) -> str:
        """A quotation on one line, in which nothing can be mistaken for narration."""
        begin, end = self._words.unit.split("{}")
        plain = " ".join(words.split()).translate({ord(mark): "'" for mark in begin + end})
        return self._words.unit.format(plain)

    def _join(self, things: Any, tell: Callable[[Any], str]) -> str:
        words = [tell(thing) for thing in things]
        if not words:
            return self._words.nobody if tell == self._format_seat else self._words.nothing
        return ", ".join(words[:-1]) + (self._words.joint if len(words) > 1 else "") + words[-1]


def _to_words(thing: Any) -> str:
    return str(thing).replace("_", " ")


def _count(value: Any) -> int:
    """A number itself, the length of a list, or the sum of a mapping's counts."""
    if isinstance(value, int):
        return value
    return sum(value.values()) if isinstance(value, Mapping) else len(value)


def _merge_repeated(things: Iterable[str]) -> list[str]:
    """Each item once, with its count if above 1."""
    return [
        thing if number == 1 else f"{thing} \N{MULTIPLICATION SIGN}{number}"
        for thing, number in Counter(things).items()
    ]


def format_instant(instant: int, zone: str = "UTC") -> str:
    """An instant (milliseconds of Unix time) in the time zone: ``2030-01-31 16:00 UTC``."""
    then = datetime.fromtimestamp(instant / 1000, UTC).astimezone(zone_of(zone))
    return f"{then:%Y-%m-%d %H:%M} {zone if zone == 'UTC' else f'({zone})'}"


def _capitalize(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
