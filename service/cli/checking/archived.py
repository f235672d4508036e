"""Checks every object in the archive, independently of the index in Redis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from domain.kernel.terms import GameId
from service.audit.processes import can_fork, map_in_order
from service.cli.checking.checked import CheckedGame, check_export, unreadable
from service.store.ports.errors import ArchiveDown
from service.store.shared import archive_object
from service.store.shared.object_storage import ObjectStorage


def names(url: str) -> list[bytes]:
    """The names of all objects, sorted. Raises `ArchiveDown`.

    Runs in a separate process, because a client of a bucket has threads that do not survive a fork.
    """
    folder = unquote(urlsplit(url).path) if url.startswith("file:") else None
    if folder is not None and not Path(folder).is_dir():
        raise ArchiveDown(f"the folder {folder} does not exist")

    def listed(url: str) -> list[bytes] | ArchiveDown:
        try:
            return sorted(ObjectStorage(url).names())
        except ArchiveDown as error:
            return error

    found = next(iter(map_in_order([url], 1, listed))) if can_fork() else listed(url)
    if isinstance(found, ArchiveDown):
        raise found
    return found


def checking(url: str, kind: str | None = None) -> Callable[[bytes], tuple[CheckedGame, ...]]:
    """A function that checks the game in an object by name (only of that kind). It never raises for bad content."""
    objects = ObjectStorage(url)

    def check(name: bytes) -> tuple[CheckedGame, ...]:
        where = f"the object {name.hex()}"
        try:
            content = archive_object.unpacked(GameId("a game"), name, objects.get(name))
            return check_export(archive_object.export_in(content), where, kind)
        except ArchiveDown as error:
            return (unreadable("", str(error)),)
        except IndexError:
            return (unreadable(where, "it contains no game"),)

    return check
