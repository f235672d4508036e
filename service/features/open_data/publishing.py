"""The finished public games of a month as files for everyone to store and check: exports and a table of contents."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from domain import RELEASE
from domain.kernel.terms import GameId
from domain.registry import GAMES
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.ops.staging import staging
from service.store.chain import BrokenLog
from service.store.codec import canonical
from service.store.founding import IMPORTED
from service.store.ports.errors import ArchiveDown, LobbyRefusal
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store
from service.store.seal import Signer
from service.store.shared import archive_object

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FILE, CONTENTS = "games.ndjson.zst", "contents.json"
FORM = 1
MAKING = ".making-open-data-"
"""Prefix of the folders in which a month is written."""
_LEVEL = 19
"""High, because it is compressed once and downloaded often."""
_PAGE = 100


@dataclass(frozen=True, slots=True)
class PublishedGame:
    """One game in the table of contents."""

    game: GameId
    kind: str
    ruleset: str
    began: int
    ended: int
    commits: int
    head: str
    outcome: Any
    offset: int
    """Offset of its frame in the file."""
    size: int
    """Size of the frame in bytes."""
    bytes: int
    """Size of the export in bytes."""
    sha256: str
    """SHA-256 of the export, hex."""


def month_of(text: str) -> tuple[int, int]:
    """Start and end of a month (``2026-11``, UTC), in milliseconds of Unix time. Raises `ValueError`."""
    first = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    last = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return int(first.timestamp()) * 1000, int(last.timestamp()) * 1000


def published(
    store: Store, month: str, to: Path, key: Signer, left_out: Callable[[GameId, str], None]
) -> Sequence[PublishedGame]:
    """Write the month's games into the new folder ``to``, which appears when it is complete. Returns its entries.

    ``left_out`` is called for games that fail the audit or cannot be read. Raises `FileExistsError` and `ValueError`.
    """
    began, ended = month_of(month)
    if to.exists():
        raise FileExistsError(f"{to} already exists. Give the name of a new folder with --output")
    to.parent.mkdir(parents=True, exist_ok=True)
    with staging(to.parent, MAKING) as stage:
        entries, digest = _written(store, (began, ended), stage / FILE, left_out)
        contents: dict[str, Any] = {
            "format": "oraclewheel open data",
            "number": FORM,
            "month": month,
            "release": RELEASE,
            "file": FILE,
            "sha256": digest,
            "games": [asdict(entry) for entry in entries],
        }
        contents |= {"key": key.key_id, "public": key.public.hex()}
        signed = hashlib.sha256(canonical(contents)).hexdigest()
        whole = {**contents, "signature": key.sign(signed)}
        _put(stage / CONTENTS, orjson.dumps(whole, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
        try:
            stage.rename(to)
        except OSError as error:
            if to.exists():
                raise FileExistsError(f"{to} was created by another process in the meantime") from error
            raise
    return entries


def _written(
    store: Store, month: tuple[int, int], file: Path, left_out: Callable[[GameId, str], None]
) -> tuple[Sequence[PublishedGame], str]:
    found: list[tuple[int, Lobby]] = []
    index = dict(store.archive.index())
    there = set(store.archive.names()) if index else set()
    for game_id, name in index.items():
        if name not in there:  # the owner of the object is unknown
            left_out(game_id, "its object is missing from the archive")
    for lobby in _public(store, month[1]):
        try:
            at = _ended(store, lobby.id)
        except (BrokenLog, ArchiveDown) as error:
            left_out(lobby.id, str(error))
            continue
        if month[0] <= at < month[1]:
            found.append((at, lobby))
    entries: list[PublishedGame] = []
    running, offset = hashlib.sha256(), 0
    with file.open("xb") as out:
        for at, lobby in sorted(found, key=lambda each: (each[0], each[1].id)):
            try:
                export = _export(store, lobby)
            except (BrokenLog, LobbyRefusal, ArchiveDown) as error:
                left_out(lobby.id, str(error))
                continue
            report = audit(export, games=GAMES)
            if not report.is_ok:
                left_out(lobby.id, report.verdict)
                continue
            frame = zstd.compress(export, _LEVEL)
            entries.append(
                PublishedGame(
                    lobby.id,
                    lobby.kind,
                    lobby.ruleset,
                    lobby.started_at or lobby.made_at,
                    at,
                    report.facts["commits"],
                    report.facts["head"],
                    report.facts["outcome"],
                    offset,
                    len(frame),
                    len(export),
                    hashlib.sha256(export).hexdigest(),
                )
            )
            out.write(frame)
            running.update(frame)
            offset += len(frame)
        out.flush()
        os.fsync(out.fileno())
    return entries, running.hexdigest()


def _public(store: Store, until: int) -> Iterator[Lobby]:
    """Finished public games that were played on this service, without sandboxes and imported games."""
    cursor = None
    while True:
        page, cursor = store.lobbies.page(status="over", cursor=cursor, limit=_PAGE)
        for lobby in page:
            if lobby.sandbox is None and lobby.creator != IMPORTED and lobby.made_at < until:
                yield lobby
        if cursor is None:
            return


def _ended(store: Store, game_id: GameId) -> int:
    content = store.archive.content(game_id)
    if content is not None:
        return archive_object.ended_in(content)
    seq, _ = store.log.head(game_id)
    return next(iter(store.log.commits(game_id, seq, seq))).at


def _export(store: Store, lobby: Lobby) -> bytes:
    """The game's export without the service's signature of the file, so that it is the same every time."""
    content = store.archive.content(lobby.id)
    return b"".join(export_lines(store, lobby)) if content is None else archive_object.export_in(content)


def _put(place: Path, data: bytes) -> None:
    with place.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
