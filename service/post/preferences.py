"""What a player prefers for every word that reaches them: their time zone, and the hours in which they are left alone."""

from __future__ import annotations

import dataclasses

from domain.terms import PlayerId
from service.post.letters.mailbox import Mailbox, mailbox_of
from service.store.ports.accounts import Preferences
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store


def preferences_of(store: Store, player_id: PlayerId) -> Preferences:
    """What holds for a player.

    Who has said nothing of it since it is the player's own may have said it with the address of their letters before: then
    that holds.
    """
    said = store.accounts.preferences(player_id)
    if said is not None:
        return said
    subscription = mailbox_of(store, player_id)
    if subscription is None:
        return Preferences()
    box = Mailbox.of(subscription)
    return Preferences(box.zone, box.quiet)


def opened(store: Store, subscription: Subscription) -> Mailbox:
    """The mailbox of a subscription, with the zone and the quiet hours of its player."""
    box, said = Mailbox.of(subscription), store.accounts.preferences(subscription.owner)
    return box if said is None else dataclasses.replace(box, zone=said.zone, quiet=said.quiet)
