"""Cleanup: removes abandoned lobbies and expired sandboxes."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "cleanup",
    "Removes lobbies that were abandoned, and sandboxes some days after their end.",
    page="operating.md",
    jobs={"side": "service.features.cleanup.jobs"},
    hourly=("workers.schedule.clear_lobbies",),
)
