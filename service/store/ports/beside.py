"""What is kept beside the games: places limited to so many at a time, notes, which can be erased, the log of heads, and an archive."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from domain.terms import GameId
from service.store.ledger.leaves import Leaf
from service.store.ledger.tiles import Added

NO_GAME = GameId("")
"""Where notes lie that are of no one game."""

DRAWERS = ("words", "salts", "mutes")
"""The drawers that a game has: they go with it wherever it goes."""


class Places(Protocol):
    """What is limited to so many at a time."""

    def hold(self, name: str, holder: str, most: int, seconds: int) -> tuple[bool, int]:
        """Take one of ``most`` places for so many seconds, or keep the holder's for longer.

        Whether the holder has it; and if not, seconds until one falls free by itself.
        """

    def keep(self, places: Sequence[tuple[str, str]], seconds: int) -> None:
        """Keep places (name and holder) that are taken for longer, all in one round trip."""

    def let_go(self, places: Sequence[tuple[str, str]]) -> None:
        """They are free again."""

    def held(self, name: str) -> Mapping[str, float]:
        """Who has places under a name, and for how many seconds more."""


class Notes(Protocol):
    """Small texts by their names, in drawers that each game has."""

    def keep(self, game_id: GameId, drawer: str, name: str, note: bytes) -> bytes:
        """Keep a note unless there is one of this name already; the one that is there now."""

    def put(self, game_id: GameId, drawer: str, name: str, note: bytes) -> None:
        """Put a note in place of whatever there was of this name."""

    def read(self, game_id: GameId, drawer: str, names: Sequence[str]) -> Mapping[str, bytes]:
        """Those of these notes that are there, in one round trip."""

    def all(self, game_id: GameId, drawer: str) -> Mapping[str, bytes]:
        """Every note of a drawer."""

    def count(self, game_id: GameId, drawer: str) -> int:
        """How many notes a drawer holds."""

    def erase(self, game_id: GameId, drawer: str, names: Sequence[str]) -> int:
        """Throw notes away for good; how many there were."""


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


class Ledger(Protocol):
    """The public log of heads, and which games have moved since. It is appended to only; whatever was read of it once is the same ever after."""

    def named(self, name: str) -> str:
        """The log's name: this one, unless it has one already."""

    def checkpoint(self) -> tuple[int, bytes]:
        """How many leaves there are, and the signed checkpoint of them; empty where none was ever made."""

    def days(self) -> Mapping[str, bytes]:
        """The first checkpoint of every day on which the log grew."""

    def leaves(self, place: int) -> bytes:
        """The packed leaves of a bundle, as many as there are."""

    def tile(self, level: int, place: int) -> bytes:
        """The hashes of a tile, as many as there are."""

    def of(self, name: str) -> Sequence[tuple[int, int]]:
        """Where in the log a game's heads stand: pairs of place and seq, in order."""

    def newest(self, names: Collection[str]) -> Mapping[str, int]:
        """The seq of the newest head of each of these games that the log holds, 0 where there is none."""

    def grow(self, grown: Grown) -> bool:
        """Write all of it, or nothing where the log has another size by now; whether it was written."""

    def moved(self, partition: int) -> Mapping[GameId, tuple[int, str]]:
        """How the games of a partition stand that have moved since their heads were last logged: seq and head.

        They go on counting as moved until `logged`; what moves after this call does so beyond that.
        """

    def logged(self, partition: int, games: Collection[GameId]) -> None:
        """The log holds the heads of these that `moved` told of."""

    def waiting(self) -> int:
        """How many games count as moved."""


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


class Shelf(Protocol):
    """What the rest of the store asks where a game is not there, or is there as a copy."""

    def fetch(self, game_id: GameId) -> bool:
        """Have a copy of it here for a while, if it lies in the archive; whether there is one. Raises `ArchiveDown`."""

    def back(self, game_id: GameId) -> bool:
        """The same where nothing of it was found: whether nothing was there, and now is."""

    def seen(self, game_id: GameId, name: bytes) -> None:
        """Somebody reads a copy from the object of this name: it stays for longer."""

    def keep(self, game_id: GameId) -> None:
        """Something of it is about to be changed: if it lies in the archive, it is taken back from there for good."""

    def filled(self, games: Sequence[GameId], fields: Sequence[str], replies: Sequence[Any]) -> list[Any]:
        """Replies to an HMGET of meta of each game, with those of games in the archive put where there was nothing.

        What cannot be had from there is left out. Nothing of them is laid here.
        """
