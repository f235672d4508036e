"""Digests of the history for one reader: in paragraphs, and as changes since their last move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.kernel.game.knowledge import SeatView
from domain.kernel.terms import Seat
from service.core.history.narration import Narrator
from service.core.history.paragraphs import Paragraphs
from service.core.history.since import build_changes
from service.core.http.access.auth import GameAccess
from service.core.http.access.reading import COMMITS_AT_A_TIME, read_entries, reader_of
from service.core.http.context.offload import ReadContext
from service.core.http.problems import Problem
from service.core.lobbies.inbox import list_questions
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import build_seat_view
from service.core.positions.timeout_preview import preview_timeouts

PARAGRAPHS = 20
MAX_PARAGRAPHS = 100
"""Maximum number of paragraphs on a page."""
MAX_READS = 64
"""Maximum number of history pages read for one page of paragraphs."""


@dataclass(frozen=True, slots=True)
class ParagraphPage:
    """A page of paragraphs."""

    paragraphs: list[dict[str, Any]]
    read_to: int
    more: bool


def read_paragraphs(access: GameAccess, after: int, newest: int, most: int, status: str) -> ParagraphPage:
    """Up to ``most`` paragraphs after a commit, or a few more if one commit ends several. Raises as `read_entries` does."""
    if after >= newest and (status == "over" or newest == 0):
        return ParagraphPage([], after, more=False)
    narrator, seat = access.narrator, access.seat
    return access.compute(
        lambda reads, facts: _read_paragraphs(reads, facts, seat, narrator, after, newest, most, status)
    )


def _read_paragraphs(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat | None,
    narrator: Narrator,
    after: int,
    newest: int,
    most: int,
    status: str,
) -> ParagraphPage:
    gathered, at, full = Paragraphs(narrator, after), max(after - 1, 0), False
    for _ in range(MAX_READS):
        read = read_entries(reads, facts, seat, narrator, at, newest, COMMITS_AT_A_TIME // 4)
        full, stuck, at = gathered.feed(read.entries, most), read.read_to == at, read.read_to
        if full or stuck or at >= newest:
            break
    documents = [gathered.build_document(each, finished=True) for each in gathered.finished]
    if full or (at < newest and documents):
        return ParagraphPage(documents, gathered.next_after, more=True)
    over = status == "over" and at >= newest
    if gathered.unfinished is not None:
        documents.append(gathered.build_document(gathered.unfinished, finished=over))
    return ParagraphPage(documents, at if over or at < newest else gathered.next_after, more=at < newest)


def changes_since(access: GameAccess, seq: int, newest: int, status: str) -> dict[str, Any]:
    """The changes for the caller's seat between two commits, and its pending questions."""
    seat, narrator, reader = access.own_seat, access.narrator, reader_of(access, status)
    first = max(seq, 1)

    def found(reads: ReadContext, facts: GameConfig) -> tuple[tuple[SeatView, SeatView], Mapping[str, str]]:
        seen = (
            _snapshot(reads, facts, first, reader.seat_at(first)),
            _snapshot(reads, facts, newest, reader.seat_at(newest)),
        )
        return seen, preview_timeouts(facts.game, reads.positions.read_at(facts, newest), seat)

    views, silent = access.compute(found)
    return build_changes(
        access.game.presentation, narrator, seat, first, views, list_questions(access.rows_without_views()), silent
    )


def _snapshot(reads: ReadContext, facts: GameConfig, seq: int, seat: Seat | None) -> SeatView:
    """What the seat saw after a commit, as JSON. None in place of a private part that it may not see."""
    try:
        position = reads.positions.read_at(facts, seq)
    except LookupError as error:
        raise Problem("unknown-commit") from error
    if position.table is None:
        raise Problem("game-stalled")
    return build_seat_view(facts.game.knowledge, position, seat)
