"""Patterns of unclear wording, and how often a text matches them."""

from __future__ import annotations

import re

_SENTENCE_START = r"(?:(?<=[.!?:;] )|(?<=\n)|^)"

IDIOMS = {
    "who = a person who": rf"{_SENTENCE_START}Who (?!am|are you|can|is|should)[a-z]+(?![^.!?\n]*\?)"
    r"|\b(?:of|for|to|by|than|with|from|as) who\b",
    "whoever, somebody, nobody": r"\b(?:[Ww]hoever|[Ss]omebody|[Nn]obody|[Ee]verybody|[Aa]nybody)\b",
    "tell, told": r"\b(?:[Tt]old|[Tt]ells|[Tt]elling|retold)\b",
    "go on with": r"\b(?:go|goes|gone|going|went) on (?:with|by|as|to)\b",
    "came to, became of": r"\b(?:came to|came of|comes? of|became of|becomes? of|comes to)\b",
    "stands, lies": r"\b(?:stands?|stood|lies|lain)\b",
    "anew, besides, likewise": r"\b(?:anew|besides|meanwhile|likewise|henceforth|thereof)\b",
    "Of a, at the start": rf"{_SENTENCE_START}Of (?:a|an|the|what|its|those|these|several|finished|who|how)\b",
    "that is none": r"\bthat (?:is|are) none\b|\b(?:as|is) none\b",
    "any more": r"\bany more\b",
    "What, not as a question": rf"(?:{_SENTENCE_START}|(?<=\*\*)|(?<=- ))What (?![^.!?\n]*\?)[a-z]+ [a-z]+",
    "as far as": r"\bas far as\b",
}
"""Name of an idiom and its regular expression."""


def count_words(text: str) -> int:
    """Number of English words in the text; at least 1."""
    return len(re.findall(r"[A-Za-z][A-Za-z'-]*", text)) or 1


def find_idioms(text: str) -> list[tuple[str, str]]:
    """Pairs of idiom name and the words around the match, in the order of `IDIOMS`."""
    found = []
    for name, pattern in IDIOMS.items():
        for match in re.finditer(pattern, text, re.MULTILINE):
            context = text[max(0, match.start() - 50) : match.end() + 50]
            found.append((name, " ".join(context.split())))
    return found


def rate_per_1000(text: str) -> float:
    """Matches per 1,000 words."""
    return 1000 * len(find_idioms(text)) / count_words(text)
