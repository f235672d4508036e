"""Favorites: players and games that a player wants to find again."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "favorites",
    "Keeps lists of favorite players and games.",
    page="how-to/challenge-players.md",
    api={"service.features.favorites.api": "favorites"},
    tags={"favorites": "Your favorite players and games. Only you can see them."},
    game_fields="service.features.favorites.storage:GAME_FIELDS",
    find_known="service.features.favorites.storage:list_players",
    erase_account="service.features.favorites.storage:erase_favorites",
)
