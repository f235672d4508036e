"""Reads history from the log in pages, as one reader may see it: forward, or backward from a commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.kernel.terms import GameId, Seat, Seq
from domain.table.undo import UNDO, UndoMemory, find_undoing_commit
from service.core.history.chat import MESSAGE_LINE, add_messages
from service.core.history.lines import build_entries, build_entry, decode_commit
from service.core.history.narration import Narrator
from service.core.history.planned_times import PlannedTimes
from service.core.http.access.auth import GameAccess
from service.core.http.context.app import AppContext
from service.core.http.context.offload import ReadContext
from service.core.positions.game_config import GameConfig
from service.core.positions.visibility import HistoryReader
from service.store.ports.commits import Stored

COMMITS_AT_A_TIME = 128
"""Commits read at a time."""

MAX_MISSED_ENTRIES = 100
"""Maximum number of entries in the response to a stale sender."""


@dataclass(frozen=True, slots=True)
class EntryPage:
    """A page of history."""

    entries: list[Mapping[str, Any]]
    read_to: int
    """The last commit read, visible or not; the next page begins after it."""
    more: bool
    """Whether there may be more."""
    head: str
    """The head after that commit; ``onto`` if there was none to read."""


def read_entries(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat | None,
    narrator: Narrator,
    after: int,
    upto: int,
    limit: int,
    onto: str = "",
    readings: int = 64,
) -> EntryPage:
    """Up to ``limit`` entries after a commit and up to another. A page may be shorter if few commits are visible.

    Raises `WentBack` if the log does not continue from the head ``onto``.
    """
    read = _read_entries(reads, facts, seat, narrator, after, upto, limit, onto, readings)
    add_chat(reads, facts, seat, narrator, read.entries)
    return read


def add_chat(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat | None,
    narrator: Narrator,
    entries: Sequence[Mapping[str, Any]],
) -> None:
    """Add chat messages to entries of history. When the game is over, anyone may read what any seat could read."""
    add_messages(
        reads.store,
        facts.id,
        entries,
        seat,
        narrator,
        reads.find_apart,
        lambda: reads.positions.read_newest(facts).over,
    )


def _read_entries(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat | None,
    narrator: Narrator,
    after: int,
    upto: int,
    limit: int,
    onto: str,
    readings: int,
) -> EntryPage:
    shown: list[Mapping[str, Any]] = []
    planned = PlannedTimes(reads.store.log, facts)
    reader, undone = reader_in(reads, facts, seat), UNDO.memory_at(reads.positions.read_newest(facts).table)
    for _ in range(readings):
        count, size = 0, min(COMMITS_AT_A_TIME, limit - len(shown), upto - after)
        if size <= 0:
            return EntryPage(shown, after, False, onto)
        commits = reads.store.log.commits(facts.id, after + 1, after + size, onto=onto)
        for seq, head, entry in build_entries(facts.game, commits, reader, narrator, planned):
            count, after, onto = count + 1, seq, head
            if entry is not None:
                shown.append(_mark_undone(entry, undone, upto))
            if len(shown) == limit:
                return EntryPage(shown, after, True, onto)
        if count < size:
            return EntryPage(shown, after, False, onto)
    return EntryPage(shown, after, True, onto)


def _mark_undone(entry: Mapping[str, Any], undone: UndoMemory | None, upto: int) -> Mapping[str, Any]:
    """The entry, with the commit that undid it, if there is one in the part read so far."""
    by = None if undone is None else find_undoing_commit(undone, entry["seq"])
    return entry if by is None or by > upto else {**entry, "undone_by": by}


def reader_in(reads: ReadContext, facts: GameConfig, seat: Seat | None) -> HistoryReader:
    """The reader in the game's current state, which is later than any commit known when the request arrived."""
    if seat is None:
        return HistoryReader(None)
    return reads.resignations.get_reader(reads.store.log, facts.id, reads.positions.read_newest(facts), seat)


def progress(context: AppContext, game_id: GameId) -> tuple[int, str, str]:
    """Seq, head and status of the game. Before the start there is no history yet."""
    rows = context.store.views.asked([game_id]).get(game_id)
    return (0, "", "lobby") if rows is None else (rows.seq, rows.head, rows.status)


def read_page(access: GameAccess, seat: Seat | None, after: int, upto: int, limit: int, onto: str = "") -> EntryPage:
    """A page for a reader, read without blocking others. Raises as `read_entries` does.

    ``upto`` is a commit from before the reader's rights were last checked (`GameAccess.refresh`): later ones are not
    visible yet.
    """
    narrator = access.narrator
    return access.compute(lambda reads, facts: read_entries(reads, facts, seat, narrator, after, upto, limit, onto))


def reader_of(access: GameAccess, status: str) -> HistoryReader:
    """The caller as a reader of their game in its current state."""
    seat = access.seat
    if seat is None or status == "over":
        return HistoryReader(seat)
    return access.compute(lambda reads, facts: reader_in(reads, facts, seat))


def missed_entries(access: GameAccess, seat: Seat, after: int) -> list[Mapping[str, Any]]:
    """The commits that a seat missed since it last looked, at most a hundred."""
    return read_page(access, seat, after, access.context.store.log.head(access.lobby.id)[0], MAX_MISSED_ENTRIES).entries


# -- backwards -----------------------------------------------------------------------------------------------------------

MAX_BACKWARD_READS = 16
"""Maximum number of reads for one page. A search for rare entries reports how far it got."""

REFUSED = "refused"
"""In place of a line type: the reader's own refused commands."""


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """A filter for entries; None means any."""

    seat: Seat | None
    """The acting seat; 0 is the game itself."""
    type: str | None
    """The type of a line, or `REFUSED`."""

    def matches(self, entry: Mapping[str, Any]) -> bool:
        """Whether the entry, as its reader may see it, matches."""
        if self.seat is not None and entry["seat"] != self.seat:
            return False
        if self.type is None:
            return True
        if self.type == REFUSED:
            return "refusal" in entry
        return any(line["type"] == self.type for line in entry["lines"])


@dataclass(frozen=True, slots=True)
class BackwardPage:
    """A page of history, newest first."""

    entries: list[Mapping[str, Any]]
    before: int
    """The oldest commit read, visible or not; the next page begins before it."""

    @property
    def more(self) -> bool:
        """Whether there is anything before it."""
        return self.before > 1


def read_backward(access: GameAccess, before: int, newest: int, filter_: EntryFilter, limit: int) -> BackwardPage:
    """Up to ``limit`` entries before a commit, of those up to ``newest``. Raises as `read_page` does."""
    narrator, seat = access.narrator, access.seat
    first = min(before, newest + 1)
    return access.compute(
        lambda reads, facts: _read_backward(reads, facts, seat, narrator, first, newest, filter_, limit)
    )


def _read_backward(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat | None,
    narrator: Narrator,
    before: int,
    newest: int,
    filter_: EntryFilter,
    limit: int,
) -> BackwardPage:
    shown: list[Mapping[str, Any]] = []
    reader, undone = reader_in(reads, facts, seat), UNDO.memory_at(reads.positions.read_newest(facts).table)
    for _ in range(MAX_BACKWARD_READS):
        if before <= 1 or len(shown) == limit:
            break
        least = max(1, before - COMMITS_AT_A_TIME)
        commits = reads.store.log.commits(facts.id, Seq(least), Seq(before - 1))
        planned = PlannedTimes(reads.store.log, facts)
        read = [
            entry for _, _, entry in build_entries(facts.game, commits, reader, narrator, planned) if entry is not None
        ]
        found = [_mark_undone(entry, undone, newest) for entry in reversed(read) if filter_.matches(entry)]
        full = len(found) > limit - len(shown)
        shown += found[: limit - len(shown)]
        before = shown[-1]["seq"] if full else least
    add_chat(reads, facts, seat, narrator, shown)
    return BackwardPage(shown, before)


def read_commits(reads: ReadContext, facts: GameConfig, seqs: Sequence[Seq]) -> Iterator[Stored]:
    """Single commits of a game."""
    for seq in seqs:
        yield from reads.store.log.commits(facts.id, seq, seq)


def find_message(access: GameAccess, seq: int) -> str | None:
    """The digest of the message in a commit, if the caller's seat may read it, or None."""
    if access.lobby.status == "lobby" or not 0 < seq <= access.context.store.log.head(access.lobby.id)[0]:
        return None
    seat, narrator = access.seat if access.others_seat is None else None, access.narrator

    def found(reads: ReadContext, facts: GameConfig) -> str | None:
        for stored in read_commits(reads, facts, [Seq(seq)]):
            shown = build_entry(
                facts.game, decode_commit(facts.game, stored), "", reader_in(reads, facts, seat), narrator
            )
            lines = [] if shown is None else shown["lines"]
            return next((line["digest"] for line in lines if line["type"] == MESSAGE_LINE), None)
        return None

    return access.compute(found)
