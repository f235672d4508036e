"""Sentence templates, parsed once: the fields of a phrase and the form of each.

``[; amulets: {rolls:list}]`` appears only if each of its fields has a value. ``[{cards:cards}~no cards]`` gives the
alternative for that case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from string import Formatter
from typing import Any

from domain.kernel.terms import Seat

Form = Callable[[Any], str]
"""Turns a value into text."""
Part = tuple[str, str | None, str]
"""Literal text, then the field that follows it (None at the end) and the name of its form."""
FormedPart = tuple[str, str, Form | None]
"""The same with the form itself; None at the end."""
_OPTIONAL = re.compile(r"\[([^\]~]*)~?([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class _PhrasePart:
    """A part of a phrase, and the alternative for when one of the fields in ``if_held`` has no value."""

    parts: tuple[FormedPart, ...]
    required: tuple[str, ...] = ()
    alternative: tuple[FormedPart, ...] = ()


class Phrase:
    """A parsed template. ``form`` looks up a form by the name in the template."""

    def __init__(self, template: str, form: Callable[[str], Form]) -> None:
        pieces = _parse_template(template)
        self._needs = tuple(name for parts, _, _ in pieces for name in _field_names(parts))
        self._pieces = tuple(
            _PhrasePart(
                _resolve_forms(parts, form), _field_names(parts) if optional else (), _resolve_forms(other, form)
            )
            for parts, optional, other in pieces
        )
        self.subject = _find_subject(pieces)
        """The field of the seat with whose name the phrase begins; None if it begins otherwise."""

    def fits(self, line: Mapping[str, Any]) -> bool:
        """Whether all its fields are visible in the line."""
        return None not in map(line.get, self._needs)

    def fill(self, line: Mapping[str, Any]) -> list[str]:
        """The text for a line that fits, in pieces. If the phrase begins with a seat, the first piece is its name."""
        words: list[str] = []
        for piece in self._pieces:
            parts = piece.parts if not piece.required or _all_visible(line, piece.required) else piece.alternative
            for text, name, form in parts:
                word = text if form is None else text + form(line[name])
                if word.startswith("the ") and words and words[-1].endswith(". "):
                    word = "The " + word[4:]
                words.append(word)
        return words

    def split_subject(self, line: Mapping[str, Any]) -> tuple[str, str, Seat | None]:
        """For a line that fits: the text, the part after the leading seat, and that seat (empty and None if none leads)."""
        words = self.fill(line)
        text = "".join(words)
        if self.subject is not None:
            predicate = text[len(words[0]) :]
            if predicate.startswith(" ") and predicate.endswith("."):
                return text, predicate.strip(), Seat(int(line[self.subject]))
        return text, "", None


@lru_cache(maxsize=4096)
def _parse_template(template: str) -> tuple[tuple[tuple[Part, ...], bool, tuple[Part, ...]], ...]:
    """The pieces of a template: parts, whether they are optional, and the alternative for optional ones."""
    texts = _OPTIONAL.split(template)
    plain = [(_parse_parts(text), False, ()) for text in texts[::3]]
    optional = [
        (_parse_parts(text), True, _parse_parts(other)) for text, other in zip(texts[1::3], texts[2::3], strict=True)
    ]
    return tuple(piece for pair in zip_longest(plain, optional) for piece in pair if piece is not None)


def _parse_parts(text: str) -> tuple[Part, ...]:
    return tuple((text, name, spec or "") for text, name, spec, _ in Formatter().parse(text))


def _resolve_forms(parts: tuple[Part, ...], form: Callable[[str], Form]) -> tuple[FormedPart, ...]:
    return tuple((text, name or "", None if name is None else form(how)) for text, name, how in parts)


def _field_names(parts: tuple[Part, ...]) -> tuple[str, ...]:
    return tuple(name for _, name, _ in parts if name is not None)


def _find_subject(pieces: tuple[tuple[tuple[Part, ...], bool, tuple[Part, ...]], ...]) -> str | None:
    parts, optional, _ = pieces[0] if pieces else ((), False, ())
    before, name, how = parts[0] if parts else ("", None, "")
    return None if optional or before or how != "seat" else name


def _all_visible(line: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    """Whether every field has a value; a number always counts."""
    return all(isinstance(line.get(name), int) or line.get(name) for name in names)
