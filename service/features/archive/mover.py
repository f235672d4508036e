"""Moves finished games into the archive: exported, audited, written, read back and compared, and only then removed.

Safe to interrupt: a game is always in the store or in the archive, and in both only as a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from redis.exceptions import ResponseError

from domain.kernel.terms import GameId
from domain.registry import GAMES
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.core.jobs import worker_context
from service.ops.logging import logger
from service.ops.metrics.catalogue import ARCHIVED, DOWN, LEFT, MOVED
from service.store.chain import BrokenLog
from service.store.ports.errors import ArchiveDown, LobbyRefusal
from service.store.redis.store import Store
from service.store.shared import archive_object

DAY = 24 * 3600 * 1000
LOCK = 60_000
"""Milliseconds for which no other process begins to move games; two at once only slow each other down."""

log = logger("archive")


@dataclass(frozen=True, slots=True)
class Moved:
    game_id: GameId
    word: str
    """``moved``, or why it was not."""
    before: int = 0
    """Bytes of its export."""
    after: int = 0
    """Bytes of its object."""


def archive() -> int:
    """Move games that have been over for as long as the settings say; returns how many."""
    context = worker_context()
    if not context.settings.archive:
        return 0
    moved = move_all(context.store, context.settings.archive_after)
    try:
        return sum(each.word == "moved" for each in moved)
    except ArchiveDown:
        ARCHIVED.note(1, DOWN)
        raise


def move_all(store: Store, days: int, busy: Callable[[], object] = lambda: None) -> Iterator[Moved]:
    """Move every game that has been over for so many days, and clean up after earlier moves.

    If another process is moving games, calls ``busy`` and returns. Raises `ArchiveDown` if the archive does not
    respond.
    """
    if not store.schedule.lock("archive", LOCK):
        busy()
        return
    for game_id, name in store.archive.moving().items():
        # Its process is gone, or will notice the cancellation; the game is moved again.
        store.archive.drop(game_id, name)
    sweep(store)
    for game_id in store.archive.finished(store.schedule.now() - days * DAY):
        yield move(store, game_id)
        store.schedule.lock("archive", LOCK)
    sweep(store)


def sweep(store: Store) -> int:
    """Remove objects without an index entry; returns how many."""
    litter = store.archive.litter()
    for game_id, name in litter:
        store.archive.remove(name)
        store.archive.swept(game_id, name)
    return len(litter)


def move(store: Store, game_id: GameId) -> Moved:
    """Move a game if it is over and has no pending deliveries. Raises `ArchiveDown`."""
    try:
        look = store.archive.look(game_id)
    except ResponseError as error:  # an error of one game; the others continue
        return _left(game_id, f"it cannot be looked at: {error}")
    if look.step != "ok":
        return Moved(game_id, look.step)
    try:
        lobby = store.lobbies.get(game_id)
        if lobby is None:
            return Moved(game_id, "unknown-game")
        export = b"".join(export_lines(store, lobby))
    except (BrokenLog, LobbyRefusal) as error:
        return _left(game_id, f"it cannot be read: {error}")
    # With the head in the store, so that exactly the removed data was audited.
    report = audit(export, games=GAMES, heads=[look.held.meta.get(b"head", b"").decode()])
    if not report.is_ok:
        return _left(game_id, f"it does not pass the audit: {report.verdict}")
    content = archive_object.written(game_id, look.held, export)
    name, data = archive_object.name_of(content), archive_object.packed(content)
    word = store.archive.begin(game_id, name)
    if word != "ok":
        return Moved(game_id, word)
    store.archive.put(name, data)
    archive_object.unpacked(game_id, name, store.archive.get(name))
    word = store.archive.swap(game_id, name, look.held)
    if word != "ok":
        store.archive.drop(game_id, name)
        return Moved(game_id, word)
    ARCHIVED.note(1, MOVED)
    log.info("game_archived", game=game_id, object=name.hex(), bytes=len(data))
    return Moved(game_id, "moved", len(export), len(data))


def _left(game_id: GameId, why: str) -> Moved:
    ARCHIVED.note(1, LEFT)
    log.error("game_not_archived", game=game_id, reason=why)
    return Moved(game_id, why)


__all__ = ["ArchiveDown", "Moved", "move", "move_all", "sweep"]
