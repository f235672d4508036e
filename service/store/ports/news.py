"""Hints that something happened."""

from __future__ import annotations

from typing import Final

from domain.terms import GameId

ALL_GAMES: Final = GameId("*")
"""Subscribes to the news of every game; no game has this id."""


def seats_changed(game_id: str, revision: int) -> str:
    """What is told to every process when it has changed, in the place of a revoked credential."""
    return f"seats:{game_id}:{revision}"


def changed_seats(word: str) -> tuple[str, int] | None:
    """The game and the revision that such news are of; None for other news."""
    kind, _, rest = word.partition(":")
    game, _, revision = rest.rpartition(":")
    return (game, int(revision)) if kind == "seats" and revision.isdecimal() else None
