"""OAuth 2.0: apps that act for a player with the rights that the player has confirmed on a page."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "oauth",
    "Lets apps of others act for a player, with the scopes and for the time that the player confirms.",
    page="how-to/write-an-app.md",
    pages=("service.features.oauth.endpoints", "service.features.oauth.pages"),
)
