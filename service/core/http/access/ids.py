"""Ids and invitations that reveal nothing and cannot be guessed. A command's id contains a mark of its sender."""

from __future__ import annotations

import base64
import hashlib
import secrets
from functools import lru_cache

from domain.kernel.terms import GameId, PlayerId
from service.core.http.context.entropy import random_bytes

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(kind: str) -> str:
    """A random id of 80 bits after the letter of its kind."""
    return kind + _random_letters(16)


def new_invitation() -> str:
    """An invitation to a game: 26 letters, 130 random bits."""
    return _random_letters(26)


def _random_letters(count: int) -> str:
    """Random letters of five bits each."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in random_bytes(count))


def command_id(game_id: GameId, player_id: PlayerId, key: str | None) -> str:
    """The id of a command: the player's mark in this game, then a hash of their Idempotency-Key, or random bits."""
    own = secrets.token_bytes(15) if key is None else _hash(game_id, player_id, key)[:15]
    return base64.urlsafe_b64encode(_player_tag(game_id, player_id) + own).decode()


def is_command_of(id_: str, game_id: GameId, player_id: PlayerId) -> bool:
    """Whether the command with this id, or the list that contains it, can be the player's."""
    return len(id_.partition(".")[0]) == 24 and id_.startswith(
        base64.urlsafe_b64encode(_player_tag(game_id, player_id)).decode()
    )


@lru_cache(maxsize=16_384)
def _player_tag(game_id: GameId, player_id: PlayerId) -> bytes:
    return _hash("mark", game_id, player_id)[:3]


def _hash(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()
