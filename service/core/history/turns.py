"""The newest paragraphs of a history, read from the end. Paragraphs have the same limits as in a full reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.core.history.lines import build_entries
from service.core.history.narration import Narrator
from service.core.history.paragraphs import HistoryParagraph, Paragraphs
from service.core.history.planned_times import PlannedTimes
from service.core.positions.game_config import GameConfig
from service.core.positions.visibility import HistoryReader
from service.store.redis.log.log import Log

BATCH_SIZE = 128
"""Commits read at a time, newest first."""

MAX_READS = 8
"""After this many reads, return the paragraphs found so far, if there are any."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FeedTurn:
    """A paragraph of history: a player's turn, or a day, depending on the game."""

    first_seq: int
    """Seq of its first commit."""
    last_seq: int
    """Seq of its last commit."""
    index: int
    """Index among the paragraphs that begin with the same commit, from 0."""
    title: str
    text: str
    first_at: int
    last_at: int


@dataclass(frozen=True, slots=True)
class TurnPage:
    """Some paragraphs, newest first."""

    turns: Sequence[FeedTurn]
    older: int | None
    """Pass this seq as ``before`` to get older paragraphs. None if there are none."""


def read_visible_turns(
    log: Log,
    config: GameConfig,
    reader: HistoryReader,
    narrator: Narrator,
    last: int,
    most: int,
    before: int | None = None,
) -> TurnPage:
    """As `read_newest_turns`, of the entries of a game that the reader may see."""
    planned = PlannedTimes(log, config)

    def read(first: int, upto: int) -> list[Entry]:
        entries = build_entries(config.game, log.commits(config.id, first, upto), reader, narrator, planned)
        return [entry for _, _, entry in entries if entry is not None and entry["lines"]]

    return read_newest_turns(read, narrator, last, most, before)


def read_newest_turns(
    read: Callable[[int, int], Sequence[Entry]], narrator: Narrator, last: int, most: int, before: int | None = None
) -> TurnPage:
    """About ``most`` paragraphs, the newest that begin up to commit ``last`` and before commit ``before``.

    ``read`` returns the entries between two commits, both included, as one reader may read them.
    """
    if before is not None:
        last = min(last, before)  # the last paragraph may end inside commit `before`
    entries: list[Entry] = []
    first, readings = last + 1, 0
    whole: list[HistoryParagraph] = []
    while first > 1 and (len(whole) <= most and (readings < MAX_READS or not whole)):
        first, upto, readings = max(1, first - BATCH_SIZE), first - 1, readings + 1
        entries[:0] = read(first, upto)
        whole = [
            each for each in _collect_paragraphs(entries, narrator, first) if before is None or each.seqs[0] < before
        ]
    places, chosen = _number_paragraphs(whole), whole[-most:]
    while chosen and len(chosen) < len(whole) and whole[-len(chosen) - 1].seqs[0] == chosen[0].seqs[0]:
        chosen = whole[-len(chosen) - 1 :]  # paragraphs that begin with the same commit are on the same page
    times = {entry["seq"]: entry["at"] for entry in entries}
    turns = [
        _build_turn(each, places[len(whole) - len(chosen) + at], narrator, times) for at, each in enumerate(chosen)
    ]
    more = len(chosen) < len(whole) or first > 1
    return TurnPage(turns[::-1], chosen[0].seqs[0] if more and chosen else None)


def _collect_paragraphs(entries: Sequence[Entry], narrator: Narrator, first: int) -> list[HistoryParagraph]:
    """The paragraphs that begin in these entries. The first lines may belong to a paragraph that began earlier."""
    gathered = Paragraphs(narrator, first - 1)
    gathered.feed(entries, len(entries) * 1000 + 1)
    found = [*gathered.finished, *([gathered.unfinished] if gathered.unfinished is not None else [])]
    return [each for each in found if not (each.is_continued and narrator.has_openings)]


def _number_paragraphs(paragraphs: Sequence[HistoryParagraph]) -> list[int]:
    places: list[int] = []
    for number, each in enumerate(paragraphs):
        follows = number > 0 and paragraphs[number - 1].seqs[0] == each.seqs[0]
        places.append(places[-1] + 1 if follows else 0)
    return places


def _build_turn(paragraph: HistoryParagraph, place: int, narrator: Narrator, times: Mapping[int, int]) -> FeedTurn:
    first, last = paragraph.seqs[0], paragraph.seqs[-1]
    text = narrator.write_paragraph(paragraph.lines)
    return FeedTurn(first, last, place, paragraph.title, text, times[first], times[last])
