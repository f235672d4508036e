"""Erases the data of a player: reports and blocks."""

from __future__ import annotations

from domain.kernel.terms import PlayerId
from service.features.moderation.blocks import erase_blocks
from service.features.moderation.reports import erase_reports
from service.store.redis.store import Store


def erase_moderation(store: Store, player_id: PlayerId) -> None:
    """Delete the reports and blocks of a player, and the blocks of others against the player."""
    erase_reports(store, player_id)
    erase_blocks(store, player_id)
