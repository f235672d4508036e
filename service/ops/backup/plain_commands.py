"""A server's data as commands. Every version of Redis and Valkey can read them, unlike the data files of another version."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import hiredis

from service.ops.backup.snapshot import NoSnapshot
from service.ops.instance.aof import MANIFEST, parts
from service.store.redis.client import RedisClient
from service.store.redis.probe import info

_REWRITE_TIMEOUT = 3600.0
_PIECE = 1 << 20

Command = list[bytes]


def rewrite(wire: RedisClient) -> None:
    """Make a server rewrite its append-only file. Raises `NoSnapshot`."""
    wire.one("BGREWRITEAOF")
    until = time.monotonic() + _REWRITE_TIMEOUT
    while (told := info(wire))["aof_rewrite_in_progress"] != "0" or told.get("aof_rewrite_scheduled", "0") != "0":
        if time.monotonic() > until:
            raise NoSnapshot(f"The append-only file could not be rewritten within {_REWRITE_TIMEOUT:.0f} seconds.")
        time.sleep(0.02)
    if told["aof_last_bgrewrite_status"] != "ok" or int(told.get("aof_rewrites", 1)) == 0:
        raise NoSnapshot("The append-only file could not be rewritten. Check that the disk has room.")


def written_as_commands(wire: RedisClient, files: Path) -> Path:
    """Make the server of this folder write all its data as commands. Returns the file. Raises `NoSnapshot`."""
    wire.one("CONFIG", "SET", "aof-use-rdb-preamble", "no")
    rewrite(wire)
    (base,) = [part.name for part in parts((files / MANIFEST).read_text()) if part.kind == "b"]
    return files / base


def commands_in(path: Path) -> Iterator[Command]:
    """The commands of an append-only file. All commands of a key are consecutive."""
    reader = hiredis.Reader()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            reader.feed(piece)
            while isinstance(command := reader.gets(), list):
                yield command
