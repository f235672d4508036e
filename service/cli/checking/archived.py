"""Exports in the archive itself, whatever Redis says of it: every object is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from domain.terms import GameId
from service.audit.processes import can_fork, in_order
from service.cli.checking.checked import Checked, check_export, unreadable
from service.store.ports.errors import ArchiveDown
from service.store.shared import crate
from service.store.shared.objects import Objects


def names(url: str) -> list[bytes]:
    """The names of all objects, in order; raises `ArchiveDown`.

    Asked by a process of its own: whoever has spoken to a bucket has threads that no fork takes along.
    """
    folder = unquote(urlsplit(url).path) if url.startswith("file:") else None
    if folder is not None and not Path(folder).is_dir():
        raise ArchiveDown(f"the folder {folder} does not exist")

    def listed(url: str) -> list[bytes] | ArchiveDown:
        try:
            return sorted(Objects(url).names())
        except ArchiveDown as error:
            return error

    found = next(iter(in_order([url], 1, listed))) if can_fork() else listed(url)
    if isinstance(found, ArchiveDown):
        raise found
    return found


def checking(url: str, kind: str | None = None) -> Callable[[bytes], tuple[Checked, ...]]:
    """What says of an object, by its name, what this release makes of its game (of that kind); it raises nothing for what lies there."""
    objects = Objects(url)

    def check(name: bytes) -> tuple[Checked, ...]:
        where = f"the object {name.hex()}"
        try:
            content = crate.unpacked(GameId("a game"), name, objects.get(name))
            return check_export(crate.export_in(content), where, kind)
        except ArchiveDown as error:
            return (unreadable("", str(error)),)
        except IndexError:
            return (unreadable(where, "it contains no game"),)

    return check
