"""What is limited to so many at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


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
