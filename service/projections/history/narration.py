"""One sentence for every line of history, from tables of templates: another language is another table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import zip_longest
from string import Formatter
from typing import Any, NamedTuple

from domain.game import AnyGame
from domain.terms import SYSTEM, Seat
from service.projections.history.language import LANGUAGES, Words

Part = tuple[str, str | None, str]
"""Literal text, then the field that follows it (None at the end) and how it is told."""
Parts = tuple[Part, ...]
_OPTIONAL = re.compile(r"\[([^\]~]*)~?([^\]]*)\]")
MOST_CLAUSES = 4
"""So many things that one seat does stand in one sentence of a paragraph."""


class Sentence(NamedTuple):
    """A sentence, and how it goes on where the one before has named the same seat."""

    text: str
    subject: Seat | None
    """The seat with which it begins."""
    predicate: str
    """What it says of the seat, up to the full stop; empty if it begins with none."""


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
        own = self._words.games.get(game.key) or Words(game.sentences, game.remarks, game.asks, game.openings)
        self._sentences = {**own.sentences, **own.remarks, **self._words.table}
        self._asks, self._openings = own.asks, own.openings
        self._called = {**game.names, **self._words.names}
        self._names = names
        self._game = game
        self._forms: dict[str, Callable[[Any], str]] = {
            "": self._plain,
            "seat": self._seat,
            "seats": lambda seats: self._listed(seats, self._seat),
            "list": lambda things: self._listed(things, _readable),
            "standings": lambda scores: self._listed(scores, lambda seat: f"{self._seat(seat)} {scores[seat]}"),
        }

    def tell(self, line: Mapping[str, Any]) -> str:
        """The sentence for a line as `reveal` shows it; of several templates the first whose fields are all shown."""
        return self._sentence(line).text

    def heading(self, line: Mapping[str, Any]) -> str | None:
        """The heading of the paragraph that begins with the line, maybe an empty one; None if none begins with it."""
        gloss = self._game.gloss(line)
        template = self._openings.get(f"{line['type']}.{gloss.get('manner')}", self._openings.get(line["type"]))
        return None if template is None else _begun(self._told((template,), {**gloss, **line})[0])

    @property
    def has_openings(self) -> bool:
        """Whether the game's paragraphs begin with lines of theirs; else each commit is one."""
        return bool(self._openings)

    def ask(self, question: Mapping[str, Any]) -> str:
        """What a seat is to answer, from a standing question as everybody may read it."""
        said = {"seat": question["seat"], **question["about"]}
        template = self._asks.get(question["kind"])
        text = "" if template is None else self._told(_several(template), said)[0]
        return _begun(text or _readable(question["kind"]) + ".")

    def due(self, instant: int) -> str:
        """By when, of an instant in milliseconds of Unix time."""
        return self._words.due.format(datetime.fromtimestamp(instant / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC"))

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
        manner = gloss.get("manner")
        template = self._sentences.get(f"{line['type']}.{manner}") if manner else None
        template = self._sentences.get(line["type"], ()) if template is None else template
        text, predicate, subject = self._told(_several(template), {**gloss, **line})
        return Sentence(_begun(text or _readable(line["type"]) + "."), subject, predicate)

    def _told(self, templates: Sequence[str], line: Mapping[str, Any]) -> tuple[str, str, Seat | None]:
        """What the first template says whose fields are all shown, what it says of the seat it begins with, and that seat."""
        for template in templates:
            pieces = _pieces(template)
            if not all(_all_shown(line, parts) for parts, _, _ in pieces):
                continue
            chosen = [parts if not optional or _all_hold(line, parts) else other for parts, optional, other in pieces]
            words = [text + self._field(line, name, how) for parts in chosen for text, name, how in parts]
            text, subject = "".join(words), _subject(pieces)
            predicate = "" if subject is None else text[len(words[0]) :]
            if subject is not None and predicate.startswith(" ") and predicate.endswith("."):
                return text, predicate.strip(), Seat(int(line[subject]))
            return text, "", None
        return "", "", None

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
        if kind == "seat":
            return self._seat(key)
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


def _subject(pieces: Sequence[tuple[Parts, bool, Parts]]) -> str | None:
    """The field of the seat with whose name a template begins; None if it begins otherwise."""
    parts, optional, _ = pieces[0] if pieces else ((), False, ())
    before, name, how = parts[0] if parts else ("", None, "")
    return None if optional or before or how != "seat" else name


def _several(templates: str | Sequence[str]) -> Sequence[str]:
    return (templates,) if isinstance(templates, str) else templates


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
