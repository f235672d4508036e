"""Numbers as words in sentences."""

from __future__ import annotations

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def numeral(count: int) -> str:
    """Numbers up to twelve as words."""
    return _WORDS[count] if 0 <= count < len(_WORDS) else str(count)
