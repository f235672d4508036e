"""Players, their tokens, secret addresses, vacations and preferences."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.kernel.terms import GameId, PlayerId

TOKEN, SESSION, APP = "token", "session", "app"
"""Kinds of credentials: a bearer token, a session of a browser, and a token that an app got by OAuth."""


@dataclass(frozen=True, slots=True)
class Player:
    """An account. Its id is random and not made from the name."""

    id: PlayerId
    name: str
    made_at: int


@dataclass(frozen=True, slots=True)
class Suspension:
    """An operator has suspended an account: no token, session or secret address of it works."""

    reason: str
    """Shown to the player."""
    since: int
    """Milliseconds of Unix time."""
    until: int | None = None
    """When it ends by itself, milliseconds of Unix time. None: when an operator restores the account."""

    @property
    def is_over(self) -> bool:
        return self.until is not None and self.until <= time.time() * 1000


@dataclass(frozen=True, slots=True)
class Credential:
    """A token's rights. The token itself is never stored, only its SHA-256."""

    id: str
    player: PlayerId
    scopes: tuple[str, ...]
    """Names of scopes (`service.core.accounts.scopes`)."""
    made_at: int
    label: str = ""
    """The name that the player gave it; for an app, the name of the app."""
    game: GameId | None = None
    """The only game that it is valid for; None for all games."""
    minted_by: str | None = None
    """The id of the token that minted it. Empty if none did; None if release 0.3.0 or older stored it."""
    expires_at: int | None = None
    """Milliseconds of Unix time. None if it does not expire."""
    kind: str = TOKEN
    """`TOKEN`, `SESSION` or `APP`."""
    device: str = ""
    """For a session: browser and system, such as ``Firefox on Linux``."""
    renews: bool = False
    """For a session: whether a request postpones its end."""
    limited_until: int | None = None
    """Until when it cannot change how the player signs in, nor erase the account, because it comes from a sign-in by email.
    Credentials that it creates have the same limit."""

    @property
    def via(self) -> str:
        """The name of the app that acts; empty for the player's own credentials."""
        return self.label if self.kind == APP else ""

    @property
    def app(self) -> str:
        """The id of the connection of the app that acts; empty for the player's own credentials."""
        return self.id if self.kind == APP else ""

    @property
    def parent_of_new(self) -> str:
        """The id of the token that a token or feed which it creates depends on; empty for none.

        What a person creates in a session stays after sign-out, and depends on the token that the session comes from.
        """
        return self.minted_by or "" if self.kind == SESSION else self.id

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= time.time() * 1000


@dataclass(frozen=True, slots=True)
class SecretAddress:
    """An address that works without a token, such as a feed's: any client that knows it can read its content.

    The secret part is never stored, only its SHA-256.
    """

    id: str
    player: PlayerId
    credential: str
    """Id of the token that it was created with; revoking that disables the address. Empty if it depends on no token."""
    purpose: str
    """Its use, such as ``feed``; addresses of one purpose are listed and counted together."""
    kind: str
    """The variant within the purpose, such as ``calendar``."""
    made_at: int
    game: GameId | None = None
    seated: bool = False
    """Whether the player had a seat in the game: the address stops working when they lose it."""


@dataclass(frozen=True, slots=True)
class Vacation:
    id: str
    player: PlayerId
    begins: int
    """Milliseconds of Unix time."""
    ends: int
    made_at: int
    is_recalled: bool = False
    told: Mapping[GameId, str] = field(default_factory=dict)
    """The games that know of it, each with the last status they received: `ANNOUNCED` or `RECALLED`."""
    plays: str = "orders"
    """How the player's decisions are made during it in games by a calendar, see `domain.table.vacations`."""
    sitter: PlayerId | None = None

    def is_open(self, now: int) -> bool:
        """Whether it is upcoming or in progress."""
        return not self.is_recalled and self.ends > now


@dataclass(frozen=True, slots=True)
class SittingConsent:
    """Whether a player agrees to sit in for another one."""

    holder: PlayerId
    """The player whose seats they would play."""
    asked_at: int
    agreed_at: int | None = None
    """None while they have not answered."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """Settings for all notifications to a player, over any channel."""

    zone: str = "UTC"
    """The name of their time zone, used for displayed times."""
    quiet: tuple[str, str] | None = None
    """Quiet hours, start and end, in their zone: no notifications from ``22:00`` to ``08:00``, for example."""


FEED, LETTERS = PURPOSES = ("feed", "letters")
"""Purposes of secret addresses."""

ANNOUNCED, RECALLED = "announced", "recalled"

MOST_ASKED = 100
"""Unanswered requests to sit in that an account stores at most."""

Held = tuple[PlayerId, str]
"""A credential's account and id."""
