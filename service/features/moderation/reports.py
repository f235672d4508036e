"""Reports of messages to the operator, kept until they are resolved. The message itself is stored only with its game."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from domain.kernel.terms import GameId, PlayerId
from service.core.history import chat
from service.store import typed
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

REPORTS = "reports"


class MessageReport(msgspec.Struct, frozen=True):
    """A player asks the operator to review a message."""

    game: GameId
    seq: int
    digest: str
    by: PlayerId
    why: str
    at: int
    """Milliseconds of Unix time."""


_REPORT = typed.decoder(MessageReport)


def store_report(store: Store, report: MessageReport) -> str:
    """Store a report and return its id. It replaces an earlier report of the same message by the same player."""
    id_ = hashlib.sha256(f"{report.game} {report.seq} {report.by}".encode()).hexdigest()[:12]
    store.notes.put(NO_GAME, REPORTS, id_, msgspec.json.encode(report))
    return id_


def list_open_reports(store: Store) -> Mapping[str, MessageReport]:
    """All reports by id, oldest first."""
    notes = store.notes.all(NO_GAME, REPORTS)
    found = {id_: _REPORT.decode(note) for id_, note in notes.items()}
    return dict(sorted(found.items(), key=lambda each: (each[1].at, each[0])))


def get_reported_message(store: Store, report: MessageReport) -> chat.ChatMessage | None:
    """The reported message; None if it has been erased."""
    return chat.load_messages(store, report.game, [report.digest]).get(report.digest)


def resolve_report(store: Store, id_: str) -> bool:
    """Delete a report. Returns whether it existed."""
    return bool(store.notes.erase(NO_GAME, REPORTS, [id_]))


def erase_reports(store: Store, player_id: PlayerId) -> None:
    """Delete the reports of a player."""
    for id_, report in list_open_reports(store).items():
        if report.by == player_id:
            resolve_report(store, id_)
