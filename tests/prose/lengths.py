"""Sentences and paragraphs of Markdown pages, and the ones that are too long to read once."""

from __future__ import annotations

import re
from collections.abc import Iterator

SENTENCE, PARAGRAPH = 25, 80
"""The most words of each."""


def paragraphs(text: str) -> Iterator[str]:
    """Running text: paragraphs and list items as one line each, without code, tables, headings, quotations and comments."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = (
        re.sub(r"^( {4,}[^\s*\d-].*|[#|>].*| *\|.*|<a .*)$", "", text, flags=re.MULTILINE)
        if "|" in text or "#" in text
        else text
    )
    for block in re.split(r"\n\s*\n", text):
        for item in re.split(r"\n(?= *(?:[*-]|\d+\.) )", block):
            plain = re.sub(r"^ *(?:[*-]|\d+\.) ", "", item.strip("\n"))
            plain = re.sub(
                r"!?\[([^\]]*)\]\([^)]*\)", lambda link: "X" if re.search(r"[./]", link[1]) else link[1], plain
            )
            plain = " ".join(re.sub(r"`[^`\n]*`|<https?:[^>]*>", "X", plain).split())
            if plain:
                yield plain


def words(text: str) -> int:
    return len(re.findall(r"[^\W_](?:[\w'\u2019-]|[.,](?=\d))*", text))


def sentences(paragraph: str) -> list[str]:
    """Split after an end mark before a capital letter or a code span; a colon that starts a list of clauses ends one too."""
    return re.split(r"(?<=[.!?:;])[\"”)*]* +(?=[\"“(*]*[A-Z0-9X])", paragraph)


def too_long(text: str) -> list[str]:
    """The sentences and paragraphs above the limits, each by its first words."""
    found = []
    for paragraph in paragraphs(text):
        if words(paragraph) > PARAGRAPH:
            found.append(f"paragraph of {words(paragraph)}: {paragraph[:60]}")
        found += [f"sentence of {words(each)}: {each[:60]}" for each in sentences(paragraph) if words(each) > SENTENCE]
    return found
