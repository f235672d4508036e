"""Players, their tokens and tickets."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.terms import GameId, PlayerId


@dataclass(frozen=True, slots=True)
class Player:
    """An account. Its id is random and not made from the name."""

    id: PlayerId
    name: str
    made_at: int


@dataclass(frozen=True, slots=True)
class Credential:
    """What a token stands for. The token itself is never stored, only its SHA-256."""

    id: str
    player: PlayerId
    scopes: tuple[str, ...]
    """Of ``read``, ``play``, ``account``, ``admin``."""
    made_at: int
    label: str = ""
    game: GameId | None = None
    """For a ticket and for the link in an email: the one game that it is for."""
    minted_by: str | None = None
    """The id of the token that minted it. Empty if none did; None if release 0.3.0 or older stored it."""
    expires_at: int | None = None
    """Milliseconds of Unix time. None if it does not expire."""

    @property
    def has_expired(self) -> bool:
        """Whether it has reached its expiry."""
        return self.expires_at is not None and self.expires_at <= time.time() * 1000


@dataclass(frozen=True, slots=True)
class SecretAddress:
    """An address that is used without a token, such as a feed's: who knows it reads what it leads to.

    What makes it secret is never stored, only its SHA-256.
    """

    id: str
    player: PlayerId
    credential: str
    """The id of the token that it was made with: it leads nowhere when that is revoked. Empty where it hangs on none."""
    purpose: str
    """What it is for, such as ``feed``; those of one purpose are listed and counted together."""
    kind: str
    """Which of them, such as ``calendar``."""
    made_at: int
    game: GameId | None = None
    seated: bool = False
    """Whether the player had a seat in the game: it leads nowhere when they have lost it."""


@dataclass(frozen=True, slots=True)
class Vacation:
    """A time for which a player will be away."""

    id: str
    player: PlayerId
    begins: int
    """Milliseconds of Unix time."""
    ends: int
    made_at: int
    is_recalled: bool = False
    told: Mapping[GameId, str] = field(default_factory=dict)
    """The games that know of it, each with the last that it was told: `ANNOUNCED` or `RECALLED`."""
    plays: str = "orders"
    """Who answers meanwhile in games by a calendar, as `domain.play.parts.vacations` says."""
    sitter: PlayerId | None = None
    """Who is to sit in meanwhile."""

    def is_open(self, now: int) -> bool:
        """Whether it is still to come, or goes on."""
        return not self.is_recalled and self.ends > now


@dataclass(frozen=True, slots=True)
class SittingConsent:
    """Whether a player agrees to sit in for another one."""

    holder: PlayerId
    """Whose seats they would play."""
    asked_at: int
    agreed_at: int | None = None
    """None while they have not answered."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What holds for every word that reaches a player, however it does."""

    zone: str = "UTC"
    """The name of their time zone, in which times are told."""
    quiet: tuple[str, str] | None = None
    """From when to when (``22:00``, ``08:00``, in their zone) they are left alone."""


FEED, LETTERS = PURPOSES = ("feed", "letters")
"""What secret addresses are for."""

ANNOUNCED, RECALLED = "announced", "recalled"

MOST_ASKED = 100
"""Requests to sit in that an account keeps without an answer."""

Held = tuple[PlayerId, str]
"""A credential by its id, with the account that it is of."""
