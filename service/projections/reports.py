"""What players have reported to the operator: kept until it is resolved, the words themselves only where they were said."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from domain.terms import GameId, PlayerId
from service.projections.history import spoken
from service.store import typed
from service.store.ports.beside import NO_GAME
from service.store.redis.store import Store

REPORTS = "reports"


class Report(msgspec.Struct, frozen=True):
    """Somebody would have the operator look at something that was said."""

    game: GameId
    seq: int
    digest: str
    by: PlayerId
    why: str
    at: int
    """Milliseconds of Unix time."""


_REPORT = typed.decoder(Report)


def file(store: Store, report: Report) -> str:
    """Keep a report, in place of an earlier one of the same player about the same words; its id."""
    id_ = hashlib.sha256(f"{report.game} {report.seq} {report.by}".encode()).hexdigest()[:12]
    store.notes.put(NO_GAME, REPORTS, id_, msgspec.json.encode(report))
    return id_


def open_reports(store: Store) -> Mapping[str, Report]:
    """Every report by its id, the oldest first."""
    notes = store.notes.all(NO_GAME, REPORTS)
    found = {id_: _REPORT.decode(note) for id_, note in notes.items()}
    return dict(sorted(found.items(), key=lambda each: (each[1].at, each[0])))


def words_of(store: Store, report: Report) -> spoken.Words | None:
    """What was reported, if it has not been erased."""
    return spoken.kept(store, report.game, [report.digest]).get(report.digest)


def resolve(store: Store, id_: str) -> bool:
    """Throw a report away; whether there was one of this id."""
    return bool(store.notes.erase(NO_GAME, REPORTS, [id_]))
