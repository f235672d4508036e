"""Players, their tokens and tickets."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

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


class Accounts(Protocol):
    """Players, their tokens and tickets, and what they may do how often."""

    def create(self, player: Player, credential: Credential, token_digest: str) -> None:
        """A new player with a first token."""

    def player(self, player_id: PlayerId) -> Player | None: ...

    def players(self, ids: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Those of them that exist, in one round trip."""

    def rename(self, player_id: PlayerId, name: str) -> None: ...

    def erase(self, player_id: PlayerId) -> None:
        """Everything that is kept of the account alone is gone: name, preferences, tokens, secret addresses, vacations.

        Which games were theirs is not: there their id stands for whoever they were. Tokens are revoked as by `revoke`.
        """

    def prefer(self, player_id: PlayerId, preferences: Preferences) -> None:
        """What the player prefers from now on, in place of all that stood there."""

    def preferences(self, player_id: PlayerId) -> Preferences | None:
        """What they have said that they prefer; None if they have said nothing."""

    def add_token(self, credential: Credential, token_digest: str, most: int = 0) -> bool:
        """Another token of a player, unless they have so many (0: no limit) already; whether it was added.

        Also False if the token that minted it has been revoked.
        """

    def by_token(self, token_digest: str) -> Credential | None:
        """The credential of a token. None if it is unknown, revoked or expired."""

    def tokens(self, player_id: PlayerId) -> Sequence[Credential]:
        """A player's tokens that have not expired, oldest first."""

    def mark_used(self, player_id: PlayerId, credential: str, at: int) -> None:
        """Store when a token was last used."""

    def last_uses(self, player_id: PlayerId) -> Mapping[str, int]:
        """When each token of a player was last used, by the token's id; tokens that were not used are left out."""

    def holds(self, player_id: PlayerId, credential: str) -> bool:
        """Whether the account is there and the token is neither revoked nor expired; asked of the store, never remembered."""

    def held(self, credentials: Collection[Held]) -> set[Held]:
        """Those of many credentials of which `holds` is true, in one round trip."""

    def revoke(self, player_id: PlayerId, credential: str, keep: str = "") -> Sequence[str]:
        """Revoke a token and all tokens that were minted with it; the ids of those that were revoked.

        The token ``keep``, and what was minted with it, stays if it is another one: it takes the place of the revoked token.
        Publishes the revocations so that no process goes on trusting them.
        """

    def add_ticket(self, credential: Credential, token_digest: str, seconds: int) -> None:
        """A ticket to read one game, void unless used within ``seconds``."""

    def use_ticket(self, token_digest: str, seconds: int) -> Credential | None:
        """The ticket's credential; it stays good for ``seconds`` after each use."""

    def add_address(self, address: SecretAddress, digest: str, most: int = 0) -> bool:
        """A secret address of a player, unless they have so many (0: no limit) of its purpose; whether it was added."""

    def lend_address(self, address: SecretAddress, digest: str, seconds: int) -> None:
        """A secret address that stands in no list and leads nowhere after so many seconds."""

    def by_address(self, digest: str) -> SecretAddress | None:
        """What a secret address leads to; None where it is unknown or revoked."""

    def addresses(self, player_id: PlayerId, purpose: str) -> Sequence[SecretAddress]:
        """A player's secret addresses of one purpose, oldest first."""

    def drop_address(self, player_id: PlayerId, purpose: str, address: str) -> bool:
        """Revoke a secret address by its id; whether there was one."""

    def add_vacation(self, vacation: Vacation) -> None:
        """A vacation of a player's, of which no game knows yet."""

    def vacations(self, player_id: PlayerId) -> Sequence[Vacation]:
        """A player's vacations, the first to begin first."""

    def recall_vacation(self, player_id: PlayerId, vacation: str) -> None:
        """Note that there is to be none; games are still to be told."""

    def told_vacation(self, player_id: PlayerId, vacation: str, game_id: GameId, what: str) -> None:
        """Note that a game has been told of it."""

    def drop_vacation(self, player_id: PlayerId, vacation: str) -> None:
        """Forget one that is over, and all that is noted of it."""

    def ask_to_sit(self, player_id: PlayerId, holder: PlayerId, at: int) -> None:
        """Ask a player to sit in for the holder, unless they have been asked or have agreed.

        Of more than `MOST_ASKED` requests without an answer the oldest is forgotten.
        """

    def agree_to_sit(self, player_id: PlayerId, holder: PlayerId, at: int) -> None:
        """Store that a player agrees to sit in for the holder from now on."""

    def refuse_to_sit(self, player_id: PlayerId, holder: PlayerId) -> bool:
        """Forget a request or an agreement; whether there was one."""

    def sitting_consents(self, player_id: PlayerId) -> Sequence[SittingConsent]:
        """The holders that a player was asked to sit in for or agreed to sit in for, oldest first."""

    def agrees_to_sit(self, player_id: PlayerId, holder: PlayerId) -> bool:
        """Whether a player agrees to sit in for the holder."""

    def vacationers(self, since: int) -> Sequence[PlayerId]:
        """The players who have vacations that end after an instant, perhaps others besides; who have none since may be forgotten."""

    def claim_answer(self, name: str, seconds: int) -> bytes | None:
        """Claim a name for so long, in one step; None if it was free, and else what is kept under it: empty while claimed."""

    def keep_answer(self, name: str, kept: bytes, seconds: int) -> None:
        """Keep these bytes under a claimed name for so long."""

    def drop_answer(self, name: str) -> None:
        """Give a name up."""

    def games_of(self, player_id: PlayerId) -> Sequence[GameId]:
        """The games they have a seat in or have created, newest first."""

    def allow(self, bucket: str, capacity: int, per_second: float, cost: int = 1) -> tuple[bool, int, int]:
        """Take from a token bucket: whether it may go on, how many are left, and seconds until one more is there."""
