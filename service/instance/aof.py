"""The append-only files of the embedded server: what its manifest names, and whether all of it is there."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from service.instance.folder import AOF
from service.instance.identity import RECORD, WAY_OUT
from service.store.ports.errors import StoreUnusable

EMPTY = 512
"""Bytes that are left where a server was killed at its very first start, before its manifest was there."""
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
    """The files that a manifest names, in their order; raises `ValueError` if it is none."""
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
    """Raises `StoreUnusable` where the server would start with less than the folder had.

    A server that finds no manifest begins anew, and writes over what is left of the files.
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
            raise StoreUnusable(f"{manifest} is missing: the games in {data} cannot be found without it.{WAY_OUT}")
        return
    try:
        named = parts(manifest.read_text())
    except (ValueError, UnicodeDecodeError) as error:
        raise StoreUnusable(f"{manifest} cannot be read ({error}).{WAY_OUT}") from error
    for part in named:
        if part.kind != "h" and not (files / part.name).is_file():
            raise StoreUnusable(f"{files / part.name} is missing, in which a part of the games stands.{WAY_OUT}")


def _size(files: Path) -> int:
    """How many bytes there are in the folder of the files."""
    return sum(path.stat().st_size for path in files.iterdir() if path.is_file()) if files.is_dir() else 0


def set_aside(data: Path) -> Path | None:
    """Where the append-only files were put that cannot be used: somebody may yet save something out of them."""
    files = data / AOF
    if not files.is_dir():
        return None
    aside = data / f"{AOF}.lost-{int(time.time())}"
    files.rename(aside)
    return aside
