"""Exports in files: one or several per file, plain or compressed, as written by `export`, `open-data` and the archive."""

from __future__ import annotations

import io
import mmap
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from service.cli.checking.checked import CheckedGame, check_export, unreadable
from service.store.shared.archive_object import LARGEST

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKED, PLAIN = ".zst", ".ndjson"
_MAGIC = b"\x28\xb5\x2f\xfd"
_BEGINS = b'{"commitment":'
"""The beginning of the first line of an export in every form, and of no other line."""
_BOXED = b'{"archived":'
"""The beginning of an archive object, two lines before its export."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file that can be read independently: one or more games."""

    path: Path
    offset: int
    size: int
    packed: bool

    def __str__(self) -> str:
        return f"{self.path}" if self.offset == 0 else f"{self.path}, from byte {self.offset}"


_LOOK = 1 << 18
"""Bytes of a frame that always contain its first block."""


class TooLarge(ValueError):
    """Larger than any game."""


def files_in(places: Iterable[Path]) -> list[Path]:
    """These files, and the files with an export's suffix in these folders; sorted within a folder, without duplicates."""
    found: dict[Path, None] = {}
    for place in places:
        within = (
            sorted(each for each in place.rglob("*") if each.suffix in {PACKED, PLAIN}) if place.is_dir() else [place]
        )
        found.update(dict.fromkeys(each for each in within if not each.is_dir()))
    return list(found)


def pieces(path: Path) -> Iterator[Piece]:
    """The parts of a file: the frames of a compressed one, the games of a plain one. An unreadable file is one part."""
    try:
        with _opened(path) as file:
            size = path.stat().st_size
            packed = file.read(len(_MAGIC)) == _MAGIC
            if size == 0 or (path.suffix == PACKED and not packed):
                starts, packed = [0], path.suffix == PACKED
            else:
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
                    starts = list(_frames(whole) if packed else _games(whole))
    except OSError:
        starts, size, packed = [0], 0, False
    for start, end in zip(starts, [*starts[1:], size], strict=True):
        yield Piece(path, start, end - start, packed)


def _opened(path: Path) -> IO[bytes]:
    """Open a regular file. Raises `OSError` for anything else, because reading a pipe could block forever."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is not a regular file")
    return path.open("rb")


def _frames(whole: mmap.mmap) -> Iterator[int]:
    """The start of each frame, except frames that continue the content of the previous one.

    After a frame whose end cannot be determined, the rest is one part.
    """
    start = 0
    while start < len(whole):
        with memoryview(whole) as view, view[start:] as rest:
            if start == 0 or _is_beginning(rest):
                yield start
            try:
                start += zstd.get_frame_size(rest)
            except zstd.ZstdError:
                return


def _is_beginning(frame: memoryview) -> bool:
    try:
        held = zstd.ZstdDecompressor().decompress(frame[:_LOOK], max(len(_BEGINS), len(_BOXED)))
    except zstd.ZstdError:
        return True  # the reader reports the error
    return held.startswith((_BEGINS, _BOXED))


def _games(whole: mmap.mmap) -> Iterator[int]:
    """The start of each game. Anything before the first game is a part too."""
    yield 0
    at = whole.find(b"\n" + _BEGINS)
    while at >= 0:
        yield at + 1
        at = whole.find(b"\n" + _BEGINS, at + 1)


def check_piece(piece: Piece, kind: str | None = None) -> tuple[CheckedGame, ...]:
    """Check each game in the part (or each of a kind). Never raises for bad content."""
    found: list[CheckedGame] = []
    empty = True
    try:
        with _opened(piece.path) as file:
            part = io.BufferedReader(_Part(file, piece.offset, piece.size))
            lines: io.BufferedIOBase = zstd.ZstdFile(part) if piece.packed else part
            for export in exports(lines):
                empty = False
                found += check_export(export, str(piece), kind)
    except (OSError, EOFError, zstd.ZstdError, TooLarge) as error:
        found.append(unreadable(str(piece), f"it is damaged: {error}"))
        empty = False
    return (unreadable(str(piece), "it is empty"),) if empty else tuple(found)


def exports(lines: io.BufferedIOBase) -> Iterator[bytes]:
    """The exports in a stream, one after another. Anything else counts as an unreadable export. Raises `TooLarge`."""
    held: list[bytes] = []
    size = 0
    while line := lines.readline(LARGEST + 1 - size):
        if line.startswith(_BEGINS) and held:
            if not _is_box(held):
                yield b"".join(held)
            held, size = [], 0
        held.append(line)
        size += len(line)
        if size > LARGEST:
            raise TooLarge(f"a game cannot be larger than {LARGEST >> 20} MiB")
    if held:
        yield b"".join(held)


def _is_box(lines: list[bytes]) -> bool:
    return len(lines) == 2 and lines[0].startswith(_BOXED)


class _Part(io.RawIOBase):
    """A part of a file as a stream of its own."""

    def __init__(self, file: IO[bytes], offset: int, size: int) -> None:
        self._file, self._left = file, size
        file.seek(offset)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)
