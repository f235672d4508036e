"""Data types of the notes, the log of heads and the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from domain.kernel.terms import GameId
from service.store.transparency.leaves import Leaf
from service.store.transparency.tiles import Added

NO_GAME = GameId("")
"""The game id for notes that belong to no game."""

DRAWERS = ("words", "salts", "mutes")
"""The namespaces of a game's notes; they are archived together with it."""


@dataclass(frozen=True, slots=True)
class OperatorAction:
    """An entry of the log of what operators do. It is never changed or deleted."""

    at: int
    """Milliseconds of Unix time."""
    operator: str
    """On the command line the name of the system's user, in the browser the id of the account."""
    action: str
    """Such as ``account.suspend``."""
    subject: str
    """The id of the account or report."""
    reason: str


@dataclass(frozen=True, slots=True)
class Grown:
    """One atomic write to the log of heads: leaves to append, hashes to append to tiles, and the new checkpoint."""

    size: int
    """Number of leaves before the write."""
    leaves: Sequence[Leaf]
    tiles: Sequence[Added]
    """Tiles above the lowest level; the hashes of the lowest level follow from the leaves."""
    checkpoint: bytes
    day: str
    """The checkpoint becomes that of this day, such as ``2026-01-31``, if the day has none yet."""


# -- the archive --------------------------------------------------------------------------------------------------------

Step = Literal["ok", "unknown-game", "not-over", "archived", "waits", "changed", "another"]
"""Result of a step that archives a game.

``waits``: something is pending or wrong with the game; ``changed``: the game changed since it was read; ``another``:
another process is moving it.
"""


@dataclass(frozen=True, slots=True)
class GameData:
    """All stored data of a game except its commits, in the store's format."""

    meta: Mapping[bytes, bytes]
    ids: Mapping[bytes, bytes]
    told: Mapping[bytes, bytes]
    drawers: Mapping[str, Mapping[bytes, bytes]]
    digest: bytes = b""
    """Digest of all this when it was read."""
    at: int = 0
    """When it was read, by the store's clock."""


@dataclass(frozen=True, slots=True)
class Look:
    """Result of reading a game that is to be moved."""

    step: Step
    held: GameData = field(default_factory=lambda: GameData({}, {}, {}, {}))
