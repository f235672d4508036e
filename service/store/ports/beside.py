"""Data types of the notes, the log of heads and the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from domain.terms import GameId
from service.store.ledger.leaves import Leaf
from service.store.ledger.tiles import Added

NO_GAME = GameId("")
"""Where notes lie that are of no one game."""

DRAWERS = ("words", "salts", "mutes")
"""The drawers that a game has: they go with it wherever it goes."""


@dataclass(frozen=True, slots=True)
class Grown:
    """What is written at once: leaves behind those that there are, what comes to the tiles, and the checkpoint of them all."""

    size: int
    """How many leaves there were."""
    leaves: Sequence[Leaf]
    tiles: Sequence[Added]
    """Those above the lowest level, whose hashes follow from the leaves."""
    checkpoint: bytes
    day: str
    """The day of which it is the checkpoint if there is none yet, such as ``2026-01-31``."""


# -- the archive --------------------------------------------------------------------------------------------------------

Step = Literal["ok", "unknown-game", "not-over", "archived", "waits", "changed", "another"]
"""How far a move came: ``waits`` for what is owed or wrong with the game; ``changed``: something of it was, since it was
looked at; ``another``: somebody else moves it."""


@dataclass(frozen=True, slots=True)
class Held:
    """All that is kept of a game but its commits, as the store keeps it."""

    meta: Mapping[bytes, bytes]
    ids: Mapping[bytes, bytes]
    told: Mapping[bytes, bytes]
    drawers: Mapping[str, Mapping[bytes, bytes]]
    digest: bytes = b""
    """Of all this as it was looked at."""
    at: int = 0
    """When that was, by the store's clock."""


@dataclass(frozen=True, slots=True)
class Look:
    """What came of looking at a game that is to be moved."""

    step: Step
    held: Held = field(default_factory=lambda: Held({}, {}, {}, {}))
