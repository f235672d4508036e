"""Archive checks of the doctor: index rows without an object, objects without a row, and contents of objects."""

from __future__ import annotations

from collections.abc import Iterator

from domain.kernel.terms import GameId
from service.ops.doctor.games import Finding
from service.store.ports.errors import ArchiveDown
from service.store.redis.store import Store
from service.store.shared import archive_object

BRING_BACK = "restore it from a backup of the archive"


def archived(store: Store, *, write: bool, quick: bool) -> Iterator[Finding]:
    """Findings about the store and its archive. The only copy of a game is never removed."""
    archive = store.archive
    if not archive.is_there:
        if count := sum(1 for _ in archive.index()):
            yield Finding(f"{count} games are in an archive, but ORACLEWHEEL_ARCHIVE is empty. Set it to that archive")
        return
    try:
        # In this order, an object that is being archived or restored is in at least one of these when it is read.
        names = set(archive.names())
        moving = set(archive.moving().values())
        index = dict(archive.index())
        litter = {name for _, name in archive.litter()}
        for game_id, name in sorted(index.items()):
            yield from _row(store, game_id, name, names, write=write, quick=quick)
        for name in sorted(names - moving - litter - set(index.values())):
            yield from _stray(store, name, write=write)
    except ArchiveDown as error:
        yield Finding(str(error))


def _row(
    store: Store, game_id: GameId, name: bytes, names: set[bytes], *, write: bool, quick: bool
) -> Iterator[Finding]:
    status, copy = store.wire.one("HMGET", store.keys.game(game_id).meta, "status", "archived")
    if status is not None and copy != name:
        if copy is None:
            yield Finding(
                f"{game_id} is in the store and in the archive{_taken_out(store, game_id, name, write)}", write
            )
            return
        if write:
            store.archive.forget(game_id)
        yield Finding(
            f"{game_id}: its copy is of a different archive object{'; deleted' if write else ''}", settled=write
        )
    if quick and name in names:
        return
    try:
        if archive_object.game_in(archive_object.unpacked(game_id, name, store.archive.get(name))) != game_id:
            yield Finding(
                f"the archive object {name.hex()} of {game_id} contains a different game. Possible actions: {BRING_BACK}."
            )
    except ArchiveDown as error:
        yield Finding(f"{error}. Possible actions: {BRING_BACK}.")


def _taken_out(store: Store, game_id: GameId, name: bytes, write: bool) -> str:
    if not write:
        return ""
    store.archive.disown(game_id, name)
    return "; the one in the store is kept"


def _stray(store: Store, name: bytes, *, write: bool) -> Iterator[Finding]:
    """A finding about an object without an index row.

    If its game is in the store it is redundant, otherwise the only copy.
    """
    try:
        game_id = archive_object.game_in(archive_object.unpacked(GameId("a game"), name, store.archive.get(name)))
    except ArchiveDown as error:
        if "missing" not in str(error):
            yield Finding(f"the archive object {name.hex()} is not in the index and is damaged. Remove it by hand")
        return
    if store.wire.one("EXISTS", store.keys.game(game_id).meta) or not store.archive.adopt(game_id, name, write=write):
        if write:
            store.archive.remove(name)
        remark = "; removed" if write else ""
        yield Finding(f"the archive object {name.hex()} of {game_id} is not in the index and not needed{remark}", write)
        return
    remark = "; added to the index" if write else ""
    yield Finding(f"{game_id} is in the archive, but not in the index of the store{remark}", settled=write)
