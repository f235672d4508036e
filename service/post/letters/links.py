"""The secret addresses that stand in letters: to say that an address is one's own, to open a game, to have no more letters."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from domain.terms import GameId
from service.post.letters.mailbox import Mailbox, mailbox_of
from service.store.ports.accounts import LETTERS, Credential, SecretAddress
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

PURPOSE = LETTERS
CONFIRM, OPEN, LEAVE = "confirm", "open", "leave"
"""The kinds of them, which stand in the addresses too."""

DAY = 24 * 3600
LASTS = {CONFIRM: 2 * DAY, OPEN: 14 * DAY}
"""For how many seconds a link leads somewhere; by which one leaves is good as long as the address stands."""


PREFIX = "owl_"
"""Prefix of a token that is the secret of a link to a game."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a link leads to."""

    link: SecretAddress
    subscription: Subscription
    box: Mailbox


def lend(store: Store, subscription: Subscription, box: Mailbox, kind: str, game: GameId | None = None) -> str:
    """A new link, as long as it `LASTS` and the address is the one it was sent to: its secret."""
    secret = secrets.token_urlsafe(32)
    made = _address(store, subscription, f"{subscription.id} {box.mark}", kind, game)
    store.accounts.lend_address(made, hashed(secret), LASTS[kind])
    return secret


def give(store: Store, subscription: Subscription, secret: str) -> None:
    """Let a secret lead to where these letters are stopped."""
    store.accounts.add_address(_address(store, subscription, subscription.id, LEAVE, None), hashed(secret))


def take_back(store: Store, subscription: Subscription) -> None:
    """The letters' links lead nowhere any more."""
    for each in store.accounts.addresses(subscription.owner, PURPOSE):
        store.accounts.drop_address(subscription.owner, PURPOSE, each.id)


def find(store: Store, secret: str, kind: str) -> Found | None:
    """What the link leads to; None where it is unknown, too old, or of an address that letters do not go to any more."""
    link = store.accounts.by_address(hashed(secret))
    if link is None or (link.purpose, link.kind) != (PURPOSE, kind):
        return None
    subscription = mailbox_of(store, link.player)
    if subscription is None or store.accounts.player(link.player) is None:
        return None
    box = Mailbox.of(subscription)
    wanted = subscription.id if kind == LEAVE else f"{subscription.id} {box.mark}"
    return Found(link, subscription, box) if link.credential == wanted else None


def credential_of(store: Store, token: str) -> Credential | None:
    """The credential of a link to a game: it plays that game for the reader, and nothing else, until the link expires.

    None if the link leads nowhere or the reader has no seat in the game. It is revoked with the account's oldest token that plays.
    """
    found = find(store, token.removeprefix(PREFIX), OPEN)
    lobby = None if found is None or found.link.game is None else store.lobbies.get(found.link.game)
    if found is None or lobby is None or not lobby.seats_of(found.link.player):
        return None
    parent = next((each for each in store.accounts.tokens(found.link.player) if "play" in each.scopes), None)
    if parent is None:
        return None
    link = found.link
    expires = link.made_at + LASTS[OPEN] * 1000
    return Credential(parent.id, link.player, ("play",), link.made_at, "email", lobby.id, expires_at=expires)


def hashed(secret: str) -> str:
    """What is stored of a secret: its SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _address(store: Store, subscription: Subscription, hangs_on: str, kind: str, game: GameId | None) -> SecretAddress:
    id_ = "l" + secrets.token_hex(8)
    return SecretAddress(id_, subscription.owner, hangs_on, PURPOSE, kind, store.schedule.now(), game)
