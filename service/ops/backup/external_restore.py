"""Restores a backup into an external server or a cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from service.ops.backup.backup import KEY, NOTE, PUSH_KEY, BackupNote, BadBackup, Progress, brought, noted
from service.ops.backup.cluster_snapshot import keys_that_stay
from service.ops.backup.files import copy, sync
from service.ops.backup.plain_commands import commands_in, written_as_commands
from service.ops.backup.snapshot import NoSnapshot
from service.ops.instance import folder
from service.ops.instance.aof import RESTORING
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.folder import AOF
from service.ops.instance.identity import RECORD
from service.ops.staging import staging
from service.store.redis.client import RedisClient
from service.store.upkeep.backup_loading import Filling

_BESIDE = (KEY, PUSH_KEY, RECORD)

Carrying = Callable[[int, Iterable[int]], Iterable[int]]
"""Receives the total number of keys and an iterator over the numbers of keys copied at a time."""


def restore_into(source: Path, data: Path, store: RedisClient, progress: Progress, carrying: Carrying) -> BackupNote:
    """Restore a backup into an empty store, and its keys and its record of the store into the data folder.

    The backup is verified first. If interrupted, run it again with the same backup; until it is done, no service starts
    on the store. Raises `BadBackup` and `StoreUnusable`.
    """
    note = noted(source)
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    _must_hold_nothing_else(source, data)
    name = hashlib.sha256((source / NOTE).read_bytes()).hexdigest()[:16]
    with staging(data, RESTORING) as stage:
        brought(source, note, stage, progress)
        with EmbeddedServer(stage, fsync="no") as server, closing(RedisClient(server.url)) as wire:
            try:
                commands = written_as_commands(wire, stage / AOF)
            except NoSnapshot as error:
                raise BadBackup(str(error)) from error
            filling = Filling(lambda: commands_in(commands), store, name)
            filling.begin()
            try:
                for _ in carrying(wire.one("DBSIZE"), filling.carry()):
                    pass
                _must_be_whole(wire, store)
                # Before the store is opened: a service without the store's key would create another one.
                _put(stage, data)
                filling.open()
            finally:
                filling.leave()
        folder.forget_sockets(stage)
    folder.make_private(data)
    return note


def _must_be_whole(wire: RedisClient, store: RedisClient) -> None:
    wanted, there = keys_that_stay(wire), sum(keys_that_stay(line) for line in store.servers().values())
    if wanted != there:
        raise BadBackup(
            f"The store now has {there} keys, but the backup has {wanted}. Empty the store and run the command again."
        )


def _put(stage: Path, data: Path) -> None:
    """Copy the keys and the store's record into the folder, each file atomically."""
    for name in _BESIDE:
        if (stage / name).exists() and not (data / name).exists():
            copy(stage / name, stage / f"{name}.new")
            (stage / f"{name}.new").replace(data / name)
    sync(data)


def _must_hold_nothing_else(source: Path, data: Path) -> None:
    """Refuse a folder with files that are not of this backup. Files of an interrupted run may be there."""
    for path in data.iterdir():
        if path.name == "lost+found" or path.name.startswith(RESTORING):
            continue
        if (
            path.name not in _BESIDE
            or not (source / path.name).is_file()
            or path.read_bytes() != (source / path.name).read_bytes()
        ):
            raise BadBackup(
                f"{data} contains {path.name}, which is not part of this backup and may belong to another store."
                " Set ORACLEWHEEL_DATA to an empty folder."
            )
