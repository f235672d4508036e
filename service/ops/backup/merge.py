"""Merges the snapshots of several servers into the files of one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from service.ops.backup.cluster_snapshot import keys_that_stay
from service.ops.backup.plain_commands import rewrite
from service.ops.backup.snapshot import NoSnapshot
from service.ops.instance.aof import MANIFEST, parts
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.folder import AOF
from service.ops.instance.server_binary import ServerUnusable
from service.ops.private_files import write
from service.store.redis.client import RedisClient

_LOADING = 3600.0
_LOG = "server.log"


def brought_together(copies: Sequence[Path], folder: Path, lasting: int) -> None:
    """Turn the snapshots into the append-only files of a folder without any.

    Consumes the snapshots. Raises `NoSnapshot`. A local server loads one after another, as a base and its increments, and then writes everything into one base. It
    exits if two snapshots contain the same key. ``lasting`` is the expected number of keys without an expiry.
    """
    files = folder / AOF
    files.mkdir(mode=0o700)
    for place, copy in enumerate(copies, 1):
        copy.replace(files / f"copy.{place}.rdb")
    lines = [
        f"file copy.{place}.rdb seq {max(1, place - 1)} type {'b' if place == 1 else 'i'}"
        for place in range(1, len(copies) + 1)
    ]
    write(files / MANIFEST, "\n".join(lines) + "\n")
    server = EmbeddedServer(folder, fsync="no")
    try:
        with closing(RedisClient(server.start(_LOADING))) as wire:
            found = keys_that_stay(wire)
            if found != lasting:
                raise NoSnapshot(
                    f"The snapshots of the primaries contain {found} keys and should contain {lasting}. Run the command again."
                )
            rewrite(wire)
    except ServerUnusable as error:
        if _log_tells(folder, "duplicated key"):
            raise NoSnapshot(
                "A key is in the snapshots of two primaries: a slot was being moved between them. Run the command again"
                " when the move has ended."
            ) from error
        raise
    finally:
        server.stop()
    _tidied(files)


def _tidied(files: Path) -> None:
    """Remove old files that the server has not yet removed after the merge."""
    kept = [line for line in (files / MANIFEST).read_text().splitlines() if not line.rstrip().endswith(" type h")]
    write(files / MANIFEST, "\n".join(kept) + "\n")
    named = {part.name for part in parts("\n".join(kept))} | {MANIFEST}
    for path in files.iterdir():
        if path.name not in named:
            path.unlink(missing_ok=True)


def _log_tells(folder: Path, words: str) -> bool:
    try:
        return words in (folder / _LOG).read_text(errors="replace")
    except OSError:
        return False
