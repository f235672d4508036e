"""Hints to other processes that something changed."""

from __future__ import annotations

from typing import Final

from domain.kernel.terms import GameId

ALL_GAMES: Final = GameId("*")
"""Subscribes to the news of every game; no game has this id."""


def seats_changed(game_id: str, revision: int) -> str:
    """The message to every process that a game's seats changed; sent in place of a revoked credential's id."""
    return f"seats:{game_id}:{revision}"


def changed_seats(word: str) -> tuple[str, int] | None:
    """The game and the revision in such a message; None for other messages."""
    kind, _, rest = word.partition(":")
    game, _, revision = rest.rpartition(":")
    return (game, int(revision)) if kind == "seats" and revision.isdecimal() else None
