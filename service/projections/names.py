"""What a name may hold, and when two names pass for each other: by case, width, accents, spaces or look-alikes."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from confusable_homoglyphs.confusables import confusables_data

LONGEST_NAME = 40

_TYPED_UNASKED = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Joiners and the choice between picture and text: keyboards put them in by themselves, so they are dropped in silence."""

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")
_BLANK_RANGES = ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF))
"""What Unicode counts among letters and marks and nobody can see."""

_THIN = str.maketrans("i10", "llo")
"""What is told apart by nothing but the fount, once capitals are small."""


def clean_name(text: str) -> str:
    """A name without control and formatting characters and without needless spaces, at most forty characters long."""
    kept = "".join(" " if char.isspace() else char for char in text if char.isspace() or _is_seen(char))
    return " ".join(unicodedata.normalize("NFC", kept).split())[:LONGEST_NAME].strip()


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
