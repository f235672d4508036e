"""The email address of an account, which is stored with the subscription for its emails."""

from __future__ import annotations

from dataclasses import dataclass

from domain.kernel.terms import PlayerId
from service.core.notifications.kinds import EMAIL
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store


@dataclass(frozen=True, slots=True)
class EmailAddress:
    """An address of an account."""

    subscription: str
    """Id of the subscription. It changes when the address changes."""
    owner: PlayerId
    address: str
    is_confirmed: bool
    """Whether the reader of the address has confirmed it. False again when they unsubscribe."""


def find_email_address(store: Store, player_id: PlayerId) -> EmailAddress | None:
    """The address of an account; None if it has none."""
    return next((_read(each) for each in store.subscriptions.of([player_id]) if each.kind == EMAIL), None)


def get_email_address(store: Store, subscription: str) -> EmailAddress | None:
    """The address of a subscription; None if it was deleted, or replaced by another address."""
    found = store.subscriptions.get(subscription)
    return None if found is None or found.kind != EMAIL else _read(found)


def find_confirmed(store: Store, address: str) -> list[PlayerId]:
    """The accounts that have confirmed this address. Case is ignored, as mail servers do. Reads every subscription."""
    found = [_read(each) for each in store.subscriptions.every() if each.kind == EMAIL]
    return [each.owner for each in found if each.is_confirmed and each.address.lower() == address.lower()]


def _read(subscription: Subscription) -> EmailAddress:
    terms = subscription.terms
    return EmailAddress(subscription.id, subscription.owner, terms["address"], bool(terms.get("verified")))
