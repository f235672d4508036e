"""What a commit does to the seats of its game, for the lobby's record that stands beside the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domain.play.parts.seats import SeatTaken, SeatVacated
from domain.play.record import Commit, Position
from domain.play.table import SeatLeft, SeatResigned
from service.store.ports.commits import Reseated
from service.store.ports.waiting import HOLDER


def reseated_by(before: Position, commit: Commit, after: Position, document: Mapping[str, Any]) -> tuple[Reseated, ...]:
    """What becomes of whose seats; the submission ``document`` says who takes one. Nothing in games without such a table."""
    if before.table is None or after.table is None or not after.table.memories:
        return ()
    if after.table.controllers == before.table.controllers:
        return ()
    return tuple(_changes(commit, str(document.get(HOLDER, ""))))


def _changes(commit: Commit, holder: str) -> Iterator[Reseated]:
    for event in commit.events:
        match event:
            case SeatVacated(seat) | SeatResigned(seat):
                yield Reseated("vacant", seat, commit.seq)
            case SeatTaken(seat):
                yield Reseated("taken", seat, commit.seq, holder)
            case SeatLeft(seat):
                yield Reseated("left", seat, commit.seq)
