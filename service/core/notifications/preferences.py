"""A player's preferences for all notifications: time zone and quiet hours."""

from __future__ import annotations

from domain.kernel.terms import PlayerId
from service.store.ports.accounts import Preferences
from service.store.redis.store import Store


def get_preferences(store: Store, player_id: PlayerId) -> Preferences:
    """A player's preferences; the defaults if they have set none."""
    return store.accounts.preferences(player_id) or Preferences()
