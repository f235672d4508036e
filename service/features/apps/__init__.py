"""The apps that a player has registered, and those that can act for them."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "apps",
    "Registers apps, and lists and disconnects those that can act for a player.",
    page="how-to/write-an-app.md",
    api={"service.features.apps.api": "apps"},
    tags={"apps": "Apps that use OAuth: register your own, and list and disconnect those that can act for you."},
)
