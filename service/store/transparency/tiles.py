"""The tree in tiles of 256 hashes (C2SP tlog-tiles): their names, how they grow, and reading the tree from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from service.store.transparency.tree import folded

WIDTH = 256
"""Hashes in a full tile, and entries in a full bundle."""
HEIGHT = 8
"""Levels of the tree in one tile."""
HASH = 32
HIGHEST = 63
"""The highest level of a tile."""

_LEVEL = re.compile(r"0|[1-9][0-9]?")
_PLACE = re.compile(r"((?:x[0-9]{3}/)*)([0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")
_MOST_PARTS = 5

ENTRIES = "entries"
"""Replaces the level in the path of a bundle of entries."""

ReadTile = Callable[[int, int, int], bytes]
"""Reads the first hashes of a tile, given its level, place and number of hashes."""


class NoTile(ValueError):
    """The path is not a valid name of a tile."""


@dataclass(frozen=True, slots=True)
class LogTile:
    """A tile, or, with the level None, a bundle of entries."""

    level: int | None
    place: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """The tile's path below ``tile/``."""
        parts, rest = [f"{self.place % 1000:03}"], self.place // 1000
        while rest:
            parts.append(f"x{rest % 1000:03}")
            rest //= 1000
        level = ENTRIES if self.level is None else str(self.level)
        partial = "" if self.width == WIDTH else f".p/{self.width}"
        return f"{level}/{'/'.join(reversed(parts))}{partial}"


def tile_at(path: str) -> LogTile:
    """The tile at this path; raises `NoTile`."""
    level, _, rest = path.partition("/")
    found = _PLACE.fullmatch(rest)
    if found is None or (level != ENTRIES and not _LEVEL.fullmatch(level)):
        raise NoTile(path)
    tops, last, width = found.groups()
    parts = [*(part[1:] for part in tops.split("/") if part), last]
    tile = LogTile(None if level == ENTRIES else int(level), int("".join(parts)), int(width or WIDTH))
    if tile.width > WIDTH or (tile.level or 0) > HIGHEST or len(parts) > _MOST_PARTS or tile.path != path:
        raise NoTile(path)
    return tile


def width_at(size: int, level: int, place: int) -> int:
    """Number of hashes of a tile in a tree of this size; 0 if it does not exist."""
    return max(0, min(WIDTH, (size >> (HEIGHT * level)) - place * WIDTH))


def edge(size: int) -> list[tuple[int, int, int]]:
    """The partial tiles of a tree of this size, from the lowest level up: level, place and width of each."""
    found = []
    for level in range(HIGHEST + 1):
        row = size >> (HEIGHT * level)
        if row == 0:
            break
        if row % WIDTH:
            found.append((level, row // WIDTH, row % WIDTH))
    return found


@dataclass(frozen=True, slots=True)
class Added:
    """Hashes to append to a tile."""

    level: int
    place: int
    hashes: bytes


def grown(size: int, partial: Mapping[int, bytes], leaves: Sequence[bytes]) -> list[Added]:
    """The hashes to append when a tree of this size gets more leaves.

    ``partial`` maps levels to the hashes of the tiles in `edge`.
    """
    added: list[Added] = []
    row, level = list(leaves), 0
    while row:
        place, width = divmod(size >> (HEIGHT * level), WIDTH)
        had, above = _split(partial.get(level, b"")), []
        while row:
            now, row = row[: WIDTH - width], row[WIDTH - width :]
            added.append(Added(level, place, b"".join(now)))
            if width + len(now) == WIDTH:
                above.append(folded([*had, *now]))
            place, width, had = place + 1, 0, []
        row, level = above, level + 1
    return added


def _split(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + HASH] for at in range(0, len(hashes), HASH)]


class TiledTree:
    """A tree of a given size, read from its tiles; each tile is read once."""

    def __init__(self, size: int, read: ReadTile) -> None:
        self.size = size
        self._read = read
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def node(self, level: int, place: int) -> bytes:
        floor, above = divmod(level, HEIGHT)
        first = place << above
        tile, at = divmod(first, WIDTH)
        return folded(self._tile(floor, tile)[at : at + (1 << above)])

    def _tile(self, level: int, place: int) -> list[bytes]:
        if (level, place) not in self._tiles:
            self._tiles[level, place] = _split(self._read(level, place, width_at(self.size, level, place)))
        return self._tiles[level, place]
