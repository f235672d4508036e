"""Hints that something happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from domain.terms import GameId
from service.store.ports.commits import Stored

ALL_GAMES: Final = GameId("*")
"""Subscribes to the news of every game; no game has this id."""


class News(Protocol):
    """Hints that something happened; never needed for truth."""

    def subscribe(self, game_id: GameId) -> Subscription: ...

    def expect(self, game_id: GameId, ids: Sequence[str]) -> Expectation:
        """Wait for what a submission that is yet to be made comes to; of a list, the ids of all its commands in order."""

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        """Call ``forget`` with the id of every credential revoked from now on, from another thread.

        It is called with ``*`` when some may have been missed: forget all.
        """


class Subscription(Protocol):
    """A waiter for news of one game (or, with `ALL_GAMES`, of all)."""

    def wait(self, seconds: float | None) -> bool:
        """Until there is news or the time is up (None: without end); True for news."""

    def tell(self) -> None:
        """End the wait of whoever waits here, or will wait next, as if there were news."""

    def close(self) -> None: ...


class Expectation(Protocol):
    """Waits for what one submission comes to, or each command of a list."""

    @property
    def channel(self) -> str:
        """What its document says under `service.store.ports.waiting.TELL`."""

    def heed_news(self) -> None:
        """It was submitted before, and is told to somebody else: be woken by any news of the game."""

    def wait(self, seconds: float) -> bool:
        """Until it may have come to something or the time is up; True for the former."""

    def came(self) -> Sequence[Stored] | None:
        """What it has come to, a commit for each command that was tried; None if that was not told here, and must be read.

        Where the whole of it was told it was told in the order in which things happened: whatever token was revoked before
        the commit, `News.on_revoked` has named by then. Raises `BrokenLog` as `Log.outcome` does.
        """

    def close(self) -> None: ...


def seats_changed(game_id: str, revision: int) -> str:
    """What is told to every process when it has changed, in the place of a revoked credential."""
    return f"seats:{game_id}:{revision}"


def changed_seats(word: str) -> tuple[str, int] | None:
    """The game and the revision that such news are of; None for other news."""
    kind, _, rest = word.partition(":")
    game, _, revision = rest.rpartition(":")
    return (game, int(revision)) if kind == "seats" and revision.isdecimal() else None
