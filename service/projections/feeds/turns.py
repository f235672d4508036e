"""The newest paragraphs of a history, read from its end: each begins and ends where it does when all of it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.projections.history.narration import Narrator
from service.projections.history.paragraphs import Paragraph, Paragraphs

STEP = 128
"""Commits read at a time, from the newest back."""

READINGS = 8
"""After so many of them what is there is enough, if there is anything."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """A paragraph of history: what a player did in a turn, or a day, as the kind of game has it."""

    begun: int
    """The commit with which it begins."""
    ended: int
    """The last commit that it tells of."""
    place: int
    """Its place among the paragraphs that begin with the same commit, from 0."""
    title: str
    text: str
    first_at: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Newest:
    """Some paragraphs, the newest first."""

    turns: Sequence[Turn]
    older: int | None
    """All that begin before this commit are older; None where there are none."""


def newest_turns(
    read: Callable[[int, int], Sequence[Entry]], narrator: Narrator, last: int, most: int, before: int | None = None
) -> Newest:
    """The newest paragraphs up to a commit, about ``most`` of them, of those that begin before a commit.

    ``read`` gives the entries from one commit to another, as one reader may read them.
    """
    if before is not None:
        last = min(last, before)  # the last of them may end within the commit before which they begin
    entries: list[Entry] = []
    first, readings = last + 1, 0
    whole: list[Paragraph] = []
    while first > 1 and (len(whole) <= most and (readings < READINGS or not whole)):
        first, upto, readings = max(1, first - STEP), first - 1, readings + 1
        entries[:0] = read(first, upto)
        whole = [each for each in _gathered(entries, narrator, first) if before is None or each.seqs[0] < before]
    places, chosen = _places(whole), whole[-most:]
    while chosen and len(chosen) < len(whole) and whole[-len(chosen) - 1].seqs[0] == chosen[0].seqs[0]:
        chosen = whole[-len(chosen) - 1 :]  # what begins with one commit stands on one page
    times = {entry["seq"]: entry["at"] for entry in entries}
    turns = [_turn(each, places[len(whole) - len(chosen) + at], narrator, times) for at, each in enumerate(chosen)]
    more = len(chosen) < len(whole) or first > 1
    return Newest(turns[::-1], chosen[0].seqs[0] if more and chosen else None)


def _gathered(entries: Sequence[Entry], narrator: Narrator, first: int) -> list[Paragraph]:
    """The paragraphs that begin in what was read; the first of it may be the end of one that does not."""
    gathered = Paragraphs(narrator, first - 1)
    gathered.feed(entries, len(entries) * 1000 + 1)
    found = [*gathered.finished, *([gathered.unfinished] if gathered.unfinished is not None else [])]
    return [each for each in found if not (each.continued and narrator.has_openings)]


def _places(paragraphs: Sequence[Paragraph]) -> list[int]:
    places: list[int] = []
    for number, each in enumerate(paragraphs):
        follows = number > 0 and paragraphs[number - 1].seqs[0] == each.seqs[0]
        places.append(places[-1] + 1 if follows else 0)
    return places


def _turn(paragraph: Paragraph, place: int, narrator: Narrator, times: Mapping[int, int]) -> Turn:
    first, last = paragraph.seqs[0], paragraph.seqs[-1]
    text = narrator.paragraph(paragraph.lines)
    return Turn(first, last, place, paragraph.title, text, times[first], times[last])
