"""Which characters a name may contain, and which names look alike: by case, width, accents, spaces or homoglyphs."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from confusable_homoglyphs.confusables import confusables_data

MAX_NAME_LENGTH = 40

_TYPED_UNASKED = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Joiners and variation selectors. Keyboards insert them on their own, so they are dropped silently."""

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")
_BLANK_RANGES = ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF))
"""Invisible characters that Unicode counts as letters or marks."""

MAX_COMBINING_MARKS = 4
"""Maximum number of combining marks on one letter. More would overlap the lines above and below."""

_FONT_LOOKALIKES = str.maketrans("i10", "llo")
"""Characters that differ only by font, after lowercasing."""

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
"""Lowercase words that are common in names."""

_PUNCTUATION = re.compile(r"""[.:;,!?()\[\]{}"\u2010-\u2015\u201c-\u201f\u00ab\u00bb\u2026\u3001\u3002/|*_`<>]""")
"""Punctuation that ends, opens or divides sentences."""

_NUMBER = re.compile(r"[lo2-9]{1,3}")
"""A number in the skeleton that `get_skeleton` returns."""


def clean_name(text: str, most: int = MAX_NAME_LENGTH) -> str:
    """The name without control and formatting characters and extra spaces, cut to ``most`` characters."""
    kept = "".join(" " if char.isspace() else char for char in text if char.isspace() or _is_visible(char))
    return " ".join(unicodedata.normalize("NFC", kept).split())[:most].strip()


def is_readable(name: str) -> bool:
    """Whether the name has a letter, digit or symbol, and no stacked or leading combining marks."""
    marks = "".join("m" if unicodedata.category(char)[0] == "M" else "." for char in unicodedata.normalize("NFD", name))
    heaped = marks.startswith("m") or "m" * (MAX_COMBINING_MARKS + 1) in marks
    return not heaped and any(char.isalnum() or unicodedata.category(char)[0] == "S" for char in name)


def is_numbered(name: str) -> bool:
    """Whether the name ends, or seems to end, in a seat number, as in ``Ash (2)``."""
    begun, opened, number = unicodedata.normalize("NFKD", name).rstrip().rpartition("(")
    return bool(begun and opened) and number.endswith(")") and _NUMBER.fullmatch(get_skeleton(number[:-1])) is not None


def reads_as_sentence(name: str) -> bool:
    """Whether the name could be read as part of a sentence: ``Ash wins. Birk``, but not ``Ash the Elder``."""
    others = name.split()[1:]
    small = [word for word in others if not word[0].isupper() and not word[0].isdigit() and word not in _PARTICLES]
    return bool(small) or len(others) > 2 or _PUNCTUATION.search(name) is not None


def is_plain(text: str) -> bool:
    """Whether the text has no deceptive characters: no control, bidi or invisible ones."""
    return all(_is_visible(char) or char in _TYPED_UNASKED for char in text)


def _is_visible(char: str) -> bool:
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or char in _BLANK:
        return False
    return not any(first <= ord(char) <= last for first, last in _BLANK_RANGES)


@lru_cache(maxsize=8192)
def get_skeleton(name: str) -> str:
    """A skeleton that names which look alike share. Never shown.

    It is the skeleton of Unicode TR39 over the folded text, without accents, spaces and punctuation. It errs towards
    treating too many names as equal.
    """
    text = unicodedata.normalize("NFKD", clean_name(name))
    text = "".join(char for char in text if not unicodedata.combining(char))
    text = _replace_lookalikes(_replace_lookalikes(text).casefold())
    return "".join(char for char in text if char.isalnum()).translate(_FONT_LOOKALIKES) or text.replace(" ", "")


def _replace_lookalikes(text: str) -> str:
    return "".join(map(_prototype, text))


def _prototype(char: str) -> str:
    """The character for which this one can be mistaken. A character with several look-alikes is its own prototype.

    The library's table lists both directions, so a character with several look-alikes is the prototype of all of them.
    """
    others = [known["c"] for known in confusables_data.get(char, ())]
    if len(others) != 1:
        return char
    (other,) = others
    if len(confusables_data.get(other, ())) > 1 or len(other) > 1:
        return str(other)
    return min(char, str(other))
