"""The append-only files of the embedded server: reads the manifest and checks that all files are present."""

from __future__ import annotations

import mmap
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from service.ops.instance.folder import AOF
from service.ops.instance.identity import RECORD, WAY_OUT
from service.store.ports.errors import StoreUnusable

EMPTY = 512
"""Bytes of files left by a server that was killed at its first start, before it wrote a manifest."""
MANIFEST = "appendonly.aof.manifest"
RESTORING = ".restoring-"
"""Prefix of the folder in which a backup is verified before it is moved into the data folder."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the manifest."""

    name: str
    kind: str
    """``b`` base, ``i`` increment, ``h`` history: no longer needed."""


def parts(text: str) -> list[Part]:
    """The files in a manifest, in order. Raises `ValueError` if it is not a valid manifest."""
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        words = line.split()
        fields = dict(zip(words[::2], words[1::2], strict=False))
        if (
            not {"file", "seq", "type"} <= fields.keys()
            or "/" in fields["file"]
            or fields["type"] not in ("b", "i", "h")
        ):
            raise ValueError(f"not a line of a manifest: {line[:80]!r}")
        found.append(Part(fields["file"], fields["type"]))
    if not found:
        raise ValueError("it is empty")
    return found


def check(data: Path) -> None:
    """Raises `StoreUnusable` if the server would start with less data than the folder had.

    A server without a manifest starts empty and overwrites the remaining files.
    """
    files = data / AOF
    manifest = files / MANIFEST
    if not manifest.exists():
        if interrupted := sorted(data.glob(f"{RESTORING}*")):
            raise StoreUnusable(
                f"A restore into {data} was interrupted or is still running. Run `oraclewheel restore` again with the same"
                f" backup, or remove {interrupted[0].name} to start without it."
            )
        if _size(files) > EMPTY or (data / RECORD).exists():
            raise StoreUnusable(f"{manifest} is missing. It is needed to read the games in {data}.{WAY_OUT}")
        return
    try:
        named = parts(manifest.read_text())
    except (ValueError, UnicodeDecodeError) as error:
        raise StoreUnusable(f"{manifest} cannot be read ({error}).{WAY_OUT}") from error
    for part in named:
        if part.kind != "h" and not (files / part.name).is_file():
            raise StoreUnusable(f"{files / part.name} is missing. It contains a part of the games.{WAY_OUT}")


@dataclass(frozen=True, slots=True)
class BadTail:
    """The end of the newest file, without commands: zeros or garbage, as after a power failure."""

    path: Path
    intact: int
    """Number of bytes before it."""
    size: int
    """Number of bytes in it."""


def bad_tail(data: Path) -> BadTail | None:
    """The damaged end of the newest increment; None if it is sound, or if commands follow the damage. Changes nothing."""
    files = data / AOF
    try:
        increments = [part.name for part in parts((files / MANIFEST).read_text()) if part.kind == "i"]
    except (OSError, ValueError):
        return None
    path = files / increments[-1] if increments else files
    if not path.is_file() or not path.stat().st_size:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        intact, stopped = _loadable(text)
        if intact == len(text) or _COMMAND.search(text, stopped + 1):
            return None
        return BadTail(path, intact, len(text) - intact)


def repair(data: Path) -> Path | None:
    """Cut off the damaged end of the newest increment. Returns the path of a copy of the original file; None if it is sound."""
    found = bad_tail(data)
    if found is None:
        return None
    copy = data / f"{found.path.name}.damaged-{int(time.time())}"
    shutil.copy2(found.path, copy)
    with found.path.open("r+b") as file:
        file.truncate(found.intact)
    return copy


_COMMAND = re.compile(rb"\*[1-9]\d{0,6}\r\n\$\d{1,9}\r\n")
_COUNT, _LENGTH = re.compile(rb"\*(\d{1,7})\r\n"), re.compile(rb"\$(\d{1,10})\r\n")
_NOTE = re.compile(rb"#[^\r\n]*\r\n")


def _loadable(text: mmap.mmap) -> tuple[int, int]:
    """The end of the part that the server can load, and the start of the first invalid command.

    The commands of a transaction without its EXEC cannot be loaded.
    """
    at = intact = 0
    open_transaction = False
    while at < len(text):
        end, name = _command(text, at)
        if end is None:
            break
        open_transaction = (open_transaction or name == b"MULTI") and name != b"EXEC"
        at = end
        if not open_transaction:
            intact = at
    return intact, at


def _command(text: mmap.mmap, at: int) -> tuple[int | None, bytes]:
    """The end of the command (or note) at this position, None if it is invalid; and its name."""
    if note := _NOTE.match(text, at):
        return note.end(), b""
    count = _COUNT.match(text, at)
    if count is None:
        return None, b""
    at, name = count.end(), b""
    for number in range(int(count[1])):
        length = _LENGTH.match(text, at)
        if length is None:
            return None, b""
        end = length.end() + int(length[1])
        if text[end : end + 2] != b"\r\n":
            return None, b""
        if number == 0:
            name = text[length.end() : min(end, length.end() + 8)].upper()
        at = end + 2
    return at, name


def _size(files: Path) -> int:
    return sum(path.stat().st_size for path in files.iterdir() if path.is_file()) if files.is_dir() else 0


def set_aside(data: Path) -> Path | None:
    """Move unusable append-only files away, so that data can still be recovered from them. Returns their new path."""
    files = data / AOF
    if not files.is_dir():
        return None
    aside = data / f"{AOF}.lost-{int(time.time())}"
    files.rename(aside)
    return aside
