"""Forks: sandboxes that start with a state of another game."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "forks",
    "Shows the complete state of a finished game, and starts a sandbox from it.",
    api={"service.features.forks.api": "games"},
)
