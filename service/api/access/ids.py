"""Ids and invitations that say nothing and cannot be guessed."""

from __future__ import annotations

import secrets

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(kind: str) -> str:
    """A random id of 80 bits after the letter of its kind."""
    return kind + "".join(secrets.choice(_LETTERS) for _ in range(16))


def new_invitation() -> str:
    """An invitation to a game: 26 letters, 130 random bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(26))
