"""The cursor between two pages of a list of games."""

from __future__ import annotations

import base64
import binascii

from domain.kernel.terms import GameId
from service.store.ports.lobbies import Lobby

Place = tuple[int, GameId]
"""A game's place in a list: its creation time and id."""


class BadCursor(ValueError):
    """The cursor is not from any page."""


def page_cursor(lobby: Lobby) -> str:
    return base64.urlsafe_b64encode(f"{lobby.made_at} {lobby.id}".encode()).decode().rstrip("=")


def parse_cursor(cursor: str | None) -> Place | None:
    """The place in a cursor; raises `BadCursor`."""
    if cursor is None:
        return None
    try:
        made, _, game_id = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        return int(made), GameId(game_id)
    except (binascii.Error, ValueError) as error:
        raise BadCursor(cursor) from error
