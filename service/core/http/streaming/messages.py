"""Renders commits once for each seat that may read them, shared by all its listeners."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import orjson

from domain.kernel.terms import GameId, Seat
from service.core.history.lines import build_entries_for_all
from service.core.history.narration import Narrator
from service.core.history.planned_times import PlannedTimes
from service.core.http.access.reading import COMMITS_AT_A_TIME, add_chat, reader_in
from service.core.http.context.app import AppContext
from service.core.http.context.offload import ReadContext
from service.core.http.streaming.connections import StreamChunk, make_chunk
from service.core.http.streaming.listeners import LogPosition
from service.core.positions.cache import CachedPosition, Positions
from service.core.positions.game_config import GameConfig

NEWS_COMMITS = 16
"""Number of commits that count as news. Older ones are history, and are read through the gate."""

IN_PLACE_COMMITS = 4
"""Number of commits that are rendered in place: a thread would cost more than rendering them."""

Messages = Sequence[tuple[int, bytes]]
"""Each commit that is visible to its reader, and its message."""


class RenderedCommits:
    """Some consecutive commits, as each of several readers may read them."""

    def __init__(self, heads: Mapping[int, str], messages: Mapping[Seat | None, Messages]) -> None:
        self.heads = heads
        """The head of each commit."""
        self._messages = messages
        self._chunks: dict[tuple[Seat | None, int], StreamChunk | None] = {}

    @property
    def end(self) -> LogPosition | None:
        """The last of them. None if there are none."""
        return LogPosition(*max(self.heads.items())) if self.heads else None

    def chunk(self, seat: Seat | None, after: int) -> StreamChunk | None:
        """The chunk for a reader after a commit. None if it is empty. Equal requests get the same object."""
        if (seat, after) not in self._chunks:
            messages = [text for seq, text in self._messages[seat] if seq > after]
            self._chunks[seat, after] = make_chunk(b"".join(messages)) if messages else None
        return self._chunks[seat, after]


Work = Callable[[ReadContext, GameConfig], tuple[RenderedCommits, CachedPosition | None]]


def render_commits(
    context: AppContext,
    game_id: GameId,
    narrator: Narrator,
    seats: Collection[Seat | None],
    after: LogPosition,
    upto: int,
) -> RenderedCommits:
    """The commits after a position and up to a commit, or as many as are read at a time. Raises as `reading.read_entries` does.

    Each is rendered once for every seat (None: the public), regardless of the number of its listeners.
    """

    def work(reads: ReadContext, facts: GameConfig) -> tuple[RenderedCommits, CachedPosition | None]:
        news = _render(reads, facts, narrator, list(seats), after, upto)
        return news, reads.positions.get_cached(game_id)

    if upto - after.seq <= IN_PLACE_COMMITS and _can_render_in_place(context.positions, game_id, seats, upto):
        return context.compute(game_id, work, game_id, at_once=True)[0]
    news, position = _render_offloaded(context, game_id, work, after, upto)
    if position is not None:  # the next few are rendered at once with it
        context.positions.store_cached(game_id, position)
    return news


def _can_render_in_place(positions: Positions, game_id: GameId, seats: Collection[Seat | None], upto: int) -> bool:
    """Whether the readers can be determined with few reads: the public, or players in a game with a cached position.

    For the seat of a player who has resigned, the log is searched, which may be long.
    """
    players = [seat for seat in seats if seat is not None]
    if not players:
        return True
    known = positions.get_cached(game_id)
    if known is None or not 0 <= upto - known.position.seq <= IN_PLACE_COMMITS:
        return False
    table = known.position.table
    return table is not None and all(table.is_played(seat) for seat in players)


def _render_offloaded(
    context: AppContext, game_id: GameId, work: Work, after: LogPosition, upto: int
) -> tuple[RenderedCommits, CachedPosition | None]:
    if upto - after.seq <= NEWS_COMMITS:
        return context.compute(game_id, work, game_id)
    with context.history_limiter.slot(game_id):
        return context.compute(game_id, work, game_id)


def _render(
    reads: ReadContext,
    facts: GameConfig,
    narrator: Narrator,
    seats: Sequence[Seat | None],
    after: LogPosition,
    upto: int,
) -> RenderedCommits:
    readers = [reader_in(reads, facts, seat) for seat in seats]
    last = min(upto, after.seq + COMMITS_AT_A_TIME)
    commits = reads.store.log.commits(facts.id, after.seq + 1, last, onto=after.head)
    heads: dict[int, str] = {}
    shown: dict[Seat | None, list[Mapping[str, Any]]] = {seat: [] for seat in seats}
    for seq, head, entries in build_entries_for_all(
        facts.game, commits, readers, narrator, PlannedTimes(reads.store.log, facts)
    ):
        heads[seq] = head
        for seat, entry in zip(seats, entries, strict=True):
            if entry is not None:
                shown[seat].append(entry)
    for seat, entries in shown.items():
        add_chat(reads, facts, seat, narrator, entries)
    return RenderedCommits(
        heads, {seat: [(entry["seq"], format_message(entry)) for entry in each] for seat, each in shown.items()}
    )


def format_message(entry: Mapping[str, Any]) -> bytes:
    """An entry of history as a message of a stream, with an id to resume from."""
    return b"id: %d\ndata: %b\n\n" % (entry["seq"], to_json(entry))


def to_json(entry: Mapping[str, Any]) -> bytes:
    """An entry of history in one line."""
    return orjson.dumps(entry, option=orjson.OPT_NON_STR_KEYS)
