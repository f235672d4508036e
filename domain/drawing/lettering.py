"""Text widths without a font. The widths are those of a wide bold font, so that the text fits in any font."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

# fmt: off
_ASCII = (
    35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40, 84, 84, 84, 58,
    100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77, 110, 77, 72, 73, 46, 37, 46, 84, 50,
    50, 67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71, 65, 92, 65, 65, 58, 71, 37, 71, 84,
)
# fmt: on
"""Widths of the characters from space to tilde, in hundredths of the font size."""
_OPEN, _CLOSE = "\u2068", "\u2069"
"""Unicode characters that isolate a name from the text direction around it."""
_ZERO = frozenset(("Mn", "Me", "Cf"))
REGULAR = 0.92
"""Width of regular text relative to bold text."""


@lru_cache(maxsize=4096)
def width(words: str, size: float, *, bold: bool = True) -> float:
    """The maximum width of a line, in the unit of ``size``."""
    return sum(map(_width, words)) * size * (1.0 if bold else REGULAR)


def _width(char: str) -> float:
    code = ord(char)
    if 32 <= code < 127:
        return _ASCII[code - 32] / 100
    if unicodedata.category(char) in _ZERO:
        return 0.0
    if code >= 0x1F000:
        return 1.35
    return 1.05 if unicodedata.east_asian_width(char) in "WF" else 0.85


def wrapped(words: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """The text as lines that fit the width ``room``. A word that is wider than that is broken."""
    lines: list[str] = []
    line = ""
    for word in _pieces(words.split(), size, room, bold=bold):
        longer = f"{line} {word}" if line else word
        if line and width(longer, size, bold=bold) > room:
            lines.append(line)
            longer = word
        line = longer
    return _balanced([*lines, line] if line else lines)


def _balanced(lines: list[str]) -> list[str]:
    """Close text direction isolates at the end of each line and reopen them on the next."""
    still = False
    for place, line in enumerate(lines):
        whole = _OPEN + line if still else line
        still = whole.count(_OPEN) > whole.count(_CLOSE)
        lines[place] = whole + _CLOSE if still else whole
    return lines


def _pieces(words: Iterable[str], size: float, room: float, *, bold: bool) -> Iterator[str]:
    for word in words:
        piece = ""
        for char in word if width(word, size, bold=bold) > room else ():
            if piece and width(piece + char, size, bold=bold) > room:
                yield piece
                piece = ""
            piece += char
        yield piece or word


def isolated(words: str) -> str:
    """A name for use within a sentence: right-to-left characters in it do not affect the text around it."""
    return words if words.isascii() else f"{_OPEN}{words}{_CLOSE}"
