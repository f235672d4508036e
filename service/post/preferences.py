"""What a player prefers for every word that reaches them: their time zone, and the hours in which they are left alone."""

from __future__ import annotations

import dataclasses

from domain.terms import PlayerId
from service.post.letters.mailbox import Mailbox
from service.store.ports.accounts import Preferences
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store


def preferences_of(store: Store, player_id: PlayerId) -> Preferences:
    """What holds for a player; the defaults if they have set nothing."""
    return store.accounts.preferences(player_id) or Preferences()


def opened(store: Store, subscription: Subscription) -> Mailbox:
    """The mailbox of a subscription, with the zone and the quiet hours of its player."""
    said = preferences_of(store, subscription.owner)
    return dataclasses.replace(Mailbox.of(subscription), zone=said.zone, quiet=said.quiet)
