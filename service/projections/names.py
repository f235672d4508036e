"""What a name may hold, and when two names pass for each other: by case, width, accents, spaces or look-alikes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from confusable_homoglyphs.confusables import confusables_data

LONGEST_NAME = 40

_TYPED_UNASKED = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Joiners and the choice between picture and text: keyboards put them in by themselves, so they are dropped in silence."""

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")
_BLANK_RANGES = ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF))
"""What Unicode counts among letters and marks and nobody can see."""

MARKS = 4
"""How many marks may stand upon one letter: more run into the words above and below."""

_THIN = str.maketrans("i10", "llo")
"""What is told apart by nothing but the fount, once capitals are small."""

_PARTICLES = frozenset(
    [
        "the",
        "of",
        "von",
        "van",
        "de",
        "der",
        "den",
        "di",
        "da",
        "del",
        "la",
        "le",
        "du",
        "al",
        "el",
        "bin",
        "ibn",
        "y",
        "zu",
    ]
)
"""Small words that stand in names."""

_PUNCTUATION = re.compile(r"""[.:;,!?()\[\]{}"\u2010-\u2015\u201c-\u201f\u00ab\u00bb\u2026\u3001\u3002/|*_`<>]""")
"""What ends, opens or parts what is said."""

_NUMBER = re.compile(r"[lo2-9]{1,3}")
"""A number as `alike` has it."""


def clean_name(text: str) -> str:
    """A name without control and formatting characters and without needless spaces, at most forty characters long."""
    kept = "".join(" " if char.isspace() else char for char in text if char.isspace() or _is_seen(char))
    return " ".join(unicodedata.normalize("NFC", kept).split())[:LONGEST_NAME].strip()


def stands_alone(name: str) -> bool:
    """Whether it holds a letter, a digit or a picture, and keeps to itself: no heap of marks, none for the word before it."""
    marks = "".join("m" if unicodedata.category(char)[0] == "M" else "." for char in unicodedata.normalize("NFD", name))
    heaped = marks.startswith("m") or "m" * (MARKS + 1) in marks
    return not heaped and any(char.isalnum() or unicodedata.category(char)[0] == "S" for char in name)


def is_numbered(name: str) -> bool:
    """Whether it ends as names that are told apart by their seats do, as in ``Ash (2)``, or looks so."""
    begun, opened, number = unicodedata.normalize("NFKD", name).rstrip().rpartition("(")
    return bool(begun and opened) and number.endswith(")") and _NUMBER.fullmatch(alike(number[:-1])) is not None


def passes_for_words(name: str) -> bool:
    """Whether a reader of a sentence could take the name for more than a name: ``Ash wins. Birk``, but not ``Ash the Elder``."""
    others = name.split()[1:]
    small = [word for word in others if not word[0].isupper() and not word[0].isdigit() and word not in _PARTICLES]
    return bool(small) or len(others) > 2 or _PUNCTUATION.search(name) is not None


def is_plain(text: str) -> bool:
    """Whether nothing in it is there to deceive: no control, bidi or other characters that cannot be seen."""
    return all(_is_seen(char) or char in _TYPED_UNASKED for char in text)


def _is_seen(char: str) -> bool:
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or char in _BLANK:
        return False
    return not any(first <= ord(char) <= last for first, last in _BLANK_RANGES)


@lru_cache(maxsize=8192)
def alike(name: str) -> str:
    """What names that pass for each other have in common (never shown).

    The skeleton of Unicode TR39 over the folded text without accents, spaces and punctuation. It takes more names for
    alike than a careful reader would, and never fewer.
    """
    text = unicodedata.normalize("NFKD", clean_name(name))
    text = "".join(char for char in text if not unicodedata.combining(char))
    text = _skeleton(_skeleton(text).casefold())
    return "".join(char for char in text if char.isalnum()).translate(_THIN) or text.replace(" ", "")


def _skeleton(text: str) -> str:
    return "".join(map(_prototype, text))


def _prototype(char: str) -> str:
    """What the character is taken for; one that others are taken for stays as it is.

    The table of the library knows both directions: whatever looks like several others is the prototype of them all.
    """
    others = [known["c"] for known in confusables_data.get(char, ())]
    if len(others) != 1:
        return char
    (other,) = others
    if len(confusables_data.get(other, ())) > 1 or len(other) > 1:
        return str(other)
    return min(char, str(other))
