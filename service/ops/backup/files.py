"""Copies local files as they are at one moment, and computes the digests of a folder."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from service.ops import private_files
from service.ops.instance.aof import MANIFEST, parts

_ATTEMPTS = 200


class BadBackup(RuntimeError):
    """The backup cannot be made or used. The message says why."""


def copy_aof(files: Path, to: Path) -> None:
    to.mkdir(mode=0o700)
    for _ in range(_ATTEMPTS):
        manifest = (files / MANIFEST).read_text()
        opened: list[tuple[str, int]] = []
        try:
            for part in parts(manifest):
                if part.kind != "h":
                    opened.append((part.name, os.open(files / part.name, os.O_RDONLY)))  # noqa: PERF401 - one by one, so that all are closed
            sizes = [os.fstat(descriptor).st_size for _, descriptor in opened]
            if (files / MANIFEST).read_text() != manifest:
                continue
            for (name, descriptor), size in zip(opened, sizes, strict=True):
                copy_open(descriptor, size, to / name)
        except FileNotFoundError:
            continue  # a rewrite finished between the two reads
        except ValueError as error:
            raise BadBackup(f"{files / MANIFEST} cannot be read: {error}") from error
        finally:
            for _, descriptor in opened:
                os.close(descriptor)
        kept = [line for line in manifest.splitlines() if not line.rstrip().endswith(" type h")]
        private_files.write(to / MANIFEST, "\n".join(kept) + "\n")
        return
    raise BadBackup(f"The files in {files} keep changing. Run the command again at a quieter time.")


def copy(source: Path, to: Path) -> None:
    descriptor = os.open(source, os.O_RDONLY)
    try:
        copy_open(descriptor, os.fstat(descriptor).st_size, to)
    finally:
        os.close(descriptor)


def copy_open(source: int, size: int, to: Path) -> None:
    """Copy the first bytes of an open file into a new one that only its owner can read."""
    with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        place = 0
        while place < size:
            piece = os.pread(source, min(1 << 20, size - place), place)
            if not piece:
                raise BadBackup(f"{to.name} became shorter during the copy. Run the command again.")
            file.write(piece)
            place += len(piece)
        file.flush()
        os.fsync(file.fileno())


def digests(stage: Path) -> dict[str, str]:
    found = {}
    for path in sorted(stage.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                found[str(path.relative_to(stage))] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def sync(path: Path) -> None:
    """Flush the folder to disk, so that renames in it survive a crash."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
