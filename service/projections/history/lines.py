"""The history lines that each reader may see of a commit, with a sentence for each. They need only the commits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.game import AnyGame
from domain.play import table
from domain.play.parts import registry
from domain.play.record import PLAN, Commit
from domain.terms import Seat
from service.projections.history.narration import Narrator
from service.projections.history.planned_times import PlannedTimes
from service.projections.positions.visibility import Reader
from service.store.chain import unreadable
from service.store.codec import UnknownEvent, encode_event, plain
from service.store.ports.commits import Stored
from service.store.reading.bodies import read_commit

_OF_TABLE = frozenset(registry.EVENTS.values())


def open_commit(game: AnyGame, stored: Stored) -> Commit:
    """The decoded commit. Raises as `positions.walked` does."""
    try:
        return read_commit(game, stored.seq, stored.at, stored.release, stored.body)
    except UnknownEvent:
        raise
    except Exception as error:
        raise unreadable(stored.seq, stored.release, error) from error


def lines(game: AnyGame, commit: Commit, seat: Seat | None, narrator: Narrator) -> list[dict[str, Any]]:
    """The events of a commit that the seat (None: the public) may read, each with its sentence as ``text``."""
    return [{**line, "text": narrator.tell(line)} for line in revealed(game, commit, seat)]


def revealed(game: AnyGame, commit: Commit, seat: Seat | None) -> Iterator[Mapping[str, Any]]:
    """As `lines`, without sentences."""
    for event in commit.events:
        line = _table_line(event, seat) if type(event) in _OF_TABLE else game.reveal(event, seat)
        if line is not None:
            yield line


def _table_line(event: Any, seat: Seat | None) -> Mapping[str, Any] | None:
    part = registry.part_of_event(event)
    if part is not None:
        return part.reveal(event, seat)
    if isinstance(event, table.PositionSet):
        return {"type": "position_set"}  # the position itself contains the secrets of all seats
    return encode_event(event)


def entry(game: AnyGame, commit: Commit, head: str, reader: Reader, narrator: Narrator) -> dict[str, Any] | None:
    """A commit as the reader may see it: its lines, or the reader's own refusal. None if it shows them nothing."""
    document: dict[str, Any] = {
        "seq": commit.seq,
        "at": commit.at,
        "seat": commit.seat,
        "by": commit.by,
        "head": head,
        "lines": lines(game, commit, reader.at(commit.seq), narrator),
    }
    own = reader.seat is not None and commit.submission.seat == reader.seat
    if commit.by == PLAN and not own:
        document["by"] = "player"  # a player's absence is private
    if own:
        document["command"] = commit.submission.id
    if commit.by == "bot" and commit.submission.command.get("bot") and not instead_of_a_thinker(commit):
        searched = commit.submission.command
        document["bot"] = {"bot": searched["bot"], "release": searched["release"], "simulations": searched["worth"]}
    if commit.refusal is not None and own:
        document["refusal"] = plain(commit.refusal)
    return document if document["lines"] or "refusal" in document else None


def instead_of_a_thinker(commit: Commit) -> bool:
    """Whether the fallback bot answered in place of a bot that searches."""
    return any(isinstance(event, table.StandInAnswered) for event in commit.events)


def entries(
    game: AnyGame, commits: Iterable[Stored], reader: Reader, narrator: Narrator, planned: PlannedTimes
) -> Iterator[tuple[int, str, Mapping[str, Any] | None]]:
    """The seq, head and entry of each commit. The entry is None if the commit shows the reader nothing."""
    for seq, head, (document,) in entries_of_all(game, commits, [reader], narrator, planned):
        yield seq, head, document


def entries_of_all(
    game: AnyGame, commits: Iterable[Stored], readers: Sequence[Reader], narrator: Narrator, planned: PlannedTimes
) -> Iterator[tuple[int, str, Sequence[Mapping[str, Any] | None]]]:
    """As `entries`, for several readers: one entry per reader, in their order."""
    for stored in commits:
        commit = open_commit(game, stored)
        planned_at = planned.planned_at(commit)
        documents = [entry(game, commit, stored.head, reader, narrator) for reader in readers]
        if planned_at is not None:
            for document in documents:
                if document is not None:
                    document["planned"] = planned_at
        yield stored.seq, stored.head, documents
