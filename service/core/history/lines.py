"""The history lines that each reader may see of a commit, with a sentence for each. They need only the commits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.kernel import lifecycle
from domain.kernel.game import AnyGame
from domain.kernel.game.knowledge import Knowledge
from domain.kernel.record import PLAN, Commit
from domain.kernel.shape import snake
from domain.kernel.terms import Seat
from domain.table import features
from domain.table.undo import Undone
from service.core.history.narration import Narrator
from service.core.history.planned_times import PlannedTimes
from service.core.positions.game_config import GameConfig
from service.core.positions.visibility import HistoryReader
from service.store.chain import unreadable
from service.store.codec import UnknownEvent, plain
from service.store.ports.commits import Stored
from service.store.reading.bodies import read_commit
from service.store.redis.log.log import Log

BOARD_COMMITS = 40
"""Number of commits in which the last moves are searched."""

_UNDONE = snake(Undone.__name__)
_OF_TABLE = frozenset(features.EVENTS.values())


def decode_commit(game: AnyGame, stored: Stored) -> Commit:
    """The decoded commit. Raises as `positions.cache.replay` does."""
    try:
        return read_commit(game, stored.seq, stored.at, stored.release, stored.body)
    except UnknownEvent:
        raise
    except Exception as error:
        raise unreadable(stored.seq, stored.release, error) from error


def narrate_commit(game: AnyGame, commit: Commit, seat: Seat | None, narrator: Narrator) -> list[dict[str, Any]]:
    """The events of a commit that the seat (None: the public) may read, each with its sentence as ``text``."""
    return [{**line, "text": narrator.narrate(line)} for line in reveal_events(game.knowledge, commit, seat)]


def read_board_lines(log: Log, config: GameConfig, narrator: Narrator, seq: int) -> list[dict[str, Any]]:
    """The public lines of the last `BOARD_COMMITS` commits up to this one, which a picture of the board marks.

    Undone commits are not on the board.
    """
    shown: list[tuple[int, dict[str, Any]]] = []
    for each in log.commits(config.id, max(1, seq - BOARD_COMMITS + 1), seq):
        for line in narrate_commit(config.game, decode_commit(config.game, each), None, narrator):
            if line["type"] == _UNDONE:
                shown = [(before, kept) for before, kept in shown if before < line["first"]]
            shown.append((each.seq, line))
    return [line for _, line in shown]


def reveal_events(knowledge: Knowledge[Any, Any], commit: Commit, seat: Seat | None) -> Iterator[Mapping[str, Any]]:
    """As `narrate_commit`, without sentences."""
    for event in commit.events:
        line = features.reveal(event, seat) if type(event) in _OF_TABLE else knowledge.reveal(event, seat)
        if line is not None:
            yield line


def build_entry(
    game: AnyGame, commit: Commit, head: str, reader: HistoryReader, narrator: Narrator
) -> dict[str, Any] | None:
    """A commit as the reader may see it: its lines, or the reader's own refusal. None if it shows them nothing."""
    document: dict[str, Any] = {
        "seq": commit.seq,
        "at": commit.at,
        "seat": commit.seat,
        "by": commit.by,
        "head": head,
        "lines": narrate_commit(game, commit, reader.seat_at(commit.seq), narrator),
    }
    own = reader.seat is not None and commit.submission.seat == reader.seat
    if commit.submission.via and (commit.by != PLAN or own):
        document["via"] = commit.submission.via
    if commit.by == PLAN and not own:
        document["by"] = "player"  # a player's absence is private
    if own:
        document["command"] = commit.submission.id
    if commit.by == "bot" and commit.submission.command.get("bot") and not is_by_fallback_bot(commit):
        searched = commit.submission.command
        document["bot"] = {"bot": searched["bot"], "release": searched["release"], "simulations": searched["worth"]}
    if commit.refusal is not None and own:
        document["refusal"] = plain(commit.refusal)
    return document if document["lines"] or "refusal" in document else None


def is_by_fallback_bot(commit: Commit) -> bool:
    """Whether the fallback bot answered in place of a bot that searches."""
    return any(isinstance(event, lifecycle.StandInAnswered) for event in commit.events)


def build_entries(
    game: AnyGame, commits: Iterable[Stored], reader: HistoryReader, narrator: Narrator, planned: PlannedTimes
) -> Iterator[tuple[int, str, Mapping[str, Any] | None]]:
    """The seq, head and entry of each commit. The entry is None if the commit shows the reader nothing."""
    for seq, head, (document,) in build_entries_for_all(game, commits, [reader], narrator, planned):
        yield seq, head, document


def build_entries_for_all(
    game: AnyGame,
    commits: Iterable[Stored],
    readers: Sequence[HistoryReader],
    narrator: Narrator,
    planned: PlannedTimes,
) -> Iterator[tuple[int, str, Sequence[Mapping[str, Any] | None]]]:
    """As `build_entries`, for several readers: one entry per reader, in their order."""
    for stored in commits:
        commit = decode_commit(game, stored)
        planned_at = planned.find_planned_time(commit)
        documents = [build_entry(game, commit, stored.head, reader, narrator) for reader in readers]
        if planned_at is not None:
            for document in documents:
                if document is not None:
                    document["planned"] = planned_at
        yield stored.seq, stored.head, documents
