"""Private labels: a player's own name for a game, which no one else sees."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "labels",
    "Lets players label games for themselves.",
    page="how-to/name-a-game.md",
    api={"service.features.labels.api": "games"},
    game_fields="service.features.labels.labels:GAME_FIELDS",
    erase_account="service.features.labels.labels:erase_labels",
)
