"""Hints that something happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from domain.terms import GameId

ALL_GAMES: Final = GameId("*")
"""Subscribes to the news of every game; no game has this id."""


class News(Protocol):
    """Hints that something happened; never needed for truth."""

    def subscribe(self, game_id: GameId) -> Subscription: ...

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        """Call ``forget`` with the id of every credential revoked from now on, from another thread.

        It is called with ``*`` when some may have been missed: forget all.
        """


class Subscription(Protocol):
    """A waiter for news of one game (or, with `ALL_GAMES`, of all)."""

    def wait(self, seconds: float) -> bool:
        """Until there is news or the time is up; True for news."""

    def close(self) -> None: ...
