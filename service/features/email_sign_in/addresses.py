"""The accounts that can sign in by email, by their address.

Only the digest of an address is stored here. Emails go to the address of the account, never to the one that was typed.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from domain.kernel.terms import PlayerId
from service.core.http.context.tokens import digest_of
from service.core.notifications.email_address import EmailAddress, get_email_address
from service.store.ports.accounts import Player, SecretAddress
from service.store.redis.store import Store

PURPOSE = "email-sign-in"


@dataclass(frozen=True, slots=True)
class Recipient:
    """An account that can sign in by email."""

    player: Player
    email: EmailAddress


def address_digest(address: str) -> str:
    """The digest of an address. Case is ignored, as mail servers do."""
    return digest_of(f"{PURPOSE} {address.lower()}")


def find_recipient(store: Store, digest: str) -> Recipient | None:
    """The account that signs in with the address of this digest; None if there is none, or if its address has changed."""
    known = store.accounts.by_address(digest)
    if known is None or known.purpose != PURPOSE:
        return None
    email, player = get_email_address(store, known.credential), store.accounts.player(known.player)
    if player is None or email is None or email.owner != player.id:
        return None
    return Recipient(player, email)


def is_enabled(store: Store, email: EmailAddress) -> bool:
    """Whether the owner of the address can sign in with it."""
    found = find_recipient(store, address_digest(email.address))
    return found is not None and found.player.id == email.owner


def enable(store: Store, email: EmailAddress) -> bool:
    """Let the owner sign in with their confirmed address. False if it signs in to another account."""
    digest = address_digest(email.address)
    found = find_recipient(store, digest)
    if found is not None:
        return found.player.id == email.owner
    known = store.accounts.by_address(digest)
    if known is not None and known.purpose == PURPOSE:  # of an account that has another address now
        store.accounts.drop_address(known.player, PURPOSE, known.id)
    erase_address(store, email.owner)
    made = SecretAddress(
        "e" + secrets.token_hex(8), email.owner, email.subscription, PURPOSE, "address", store.schedule.now()
    )
    return store.accounts.add_address(made, digest, 1)


def erase_address(store: Store, player_id: PlayerId) -> None:
    """Let the account no longer sign in by email."""
    for each in store.accounts.addresses(player_id, PURPOSE):
        store.accounts.drop_address(player_id, PURPOSE, each.id)
