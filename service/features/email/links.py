"""Secret links in emails: confirm an address, open a game, unsubscribe."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from domain.kernel.terms import GameId, PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, CHAT_WRITE, GAMES_PLAY, GAMES_READ, includes
from service.core.http.context.tokens import digest_of
from service.features.email.mailbox import Mailbox, find_mailbox
from service.store.ports.accounts import LETTERS, Credential, SecretAddress
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

PURPOSE = LETTERS
CONFIRM, OPEN, UNSUBSCRIBE = "confirm", "open", "leave"
"""The kinds of links, which are also part of their URLs."""

DAY = 24 * 3600
LIFETIMES = {CONFIRM: 2 * DAY, OPEN: 14 * DAY}
"""Lifetime of a link in seconds. An unsubscribe link works as long as the address is stored."""

SCOPES = (ACCOUNT_READ, GAMES_READ, GAMES_PLAY, CHAT_WRITE)
"""The scopes of a link to a game: an email can be forwarded, so it cannot give up the seat or name a sitter."""

PREFIX = "owl_"
"""Prefix of a token made from the secret of a link to a game."""


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link."""

    link: SecretAddress
    subscription: Subscription
    box: Mailbox


def create_link(store: Store, subscription: Subscription, box: Mailbox, kind: str, game: GameId | None = None) -> str:
    """Create a link and return its secret. It expires after `LIFETIMES`, or when the address changes."""
    secret = secrets.token_urlsafe(32)
    made = _address(store, subscription, f"{subscription.id} {box.address_hash}", kind, game)
    store.accounts.lend_address(made, digest_of(secret), LIFETIMES[kind])
    return secret


def register_unsubscribe_secret(store: Store, subscription: Subscription, secret: str) -> None:
    """Register the secret of an unsubscribe link."""
    store.accounts.add_address(_address(store, subscription, subscription.id, UNSUBSCRIBE, None), digest_of(secret))


def revoke_links(store: Store, player_id: PlayerId) -> None:
    """Invalidate all email links of a player."""
    for each in store.accounts.addresses(player_id, PURPOSE):
        store.accounts.drop_address(player_id, PURPOSE, each.id)


def find_link(store: Store, secret: str, kind: str) -> LinkTarget | None:
    """The target of a link; None if it is unknown or expired, or if email no longer goes to its address."""
    link = store.accounts.by_address(digest_of(secret))
    if link is None or (link.purpose, link.kind) != (PURPOSE, kind):
        return None
    subscription = find_mailbox(store, link.player)
    if subscription is None or store.accounts.player(link.player) is None:
        return None
    box = Mailbox.from_subscription(subscription)
    wanted = subscription.id if kind == UNSUBSCRIBE else f"{subscription.id} {box.address_hash}"
    return LinkTarget(link, subscription, box) if link.credential == wanted else None


def find_credential(store: Store, token: str) -> Credential | None:
    """The credential of a link to a game: it may play that game until the link expires, and nothing else.

    None if the link is invalid or the reader has no seat in the game. The credential is revoked with the account's
    oldest token that can play any game.
    """
    found = find_link(store, token.removeprefix(PREFIX), OPEN)
    lobby = None if found is None or found.link.game is None else store.lobbies.get(found.link.game)
    if found is None or lobby is None or not lobby.seats_of(found.link.player):
        return None
    tokens = store.accounts.tokens(found.link.player)
    parent = next((each for each in tokens if each.game is None and includes(each.scopes, GAMES_PLAY)), None)
    if parent is None:
        return None
    link = found.link
    expires = link.made_at + LIFETIMES[OPEN] * 1000
    return Credential(parent.id, link.player, SCOPES, link.made_at, "email", lobby.id, expires_at=expires)


def _address(store: Store, subscription: Subscription, bound_to: str, kind: str, game: GameId | None) -> SecretAddress:
    id_ = "l" + secrets.token_hex(8)
    return SecretAddress(id_, subscription.owner, bound_to, PURPOSE, kind, store.schedule.now(), game)
