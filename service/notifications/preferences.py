"""A player's preferences for all notifications: time zone and quiet hours."""

from __future__ import annotations

import dataclasses

from domain.kernel.terms import PlayerId
from service.notifications.email.mailbox import Mailbox
from service.store.ports.accounts import Preferences
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store


def get_preferences(store: Store, player_id: PlayerId) -> Preferences:
    """A player's preferences; the defaults if they have set none."""
    return store.accounts.preferences(player_id) or Preferences()


def load_mailbox(store: Store, subscription: Subscription) -> Mailbox:
    """The mailbox of a subscription, with the player's time zone and quiet hours."""
    preferences = get_preferences(store, subscription.owner)
    return dataclasses.replace(Mailbox.from_subscription(subscription), zone=preferences.zone, quiet=preferences.quiet)
