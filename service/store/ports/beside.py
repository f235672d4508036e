"""What is kept beside the games: places that are limited to so many at a time, and notes, which can be erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from domain.terms import GameId

NO_GAME = GameId("")
"""Where notes lie that are of no one game."""


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
