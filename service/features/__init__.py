"""The features. Each is a package that can be deleted together with its line in `FEATURES`."""

from __future__ import annotations

from service.core.feature import Feature, load

FEATURES: tuple[Feature, ...] = tuple(
    load(f"service.features.{name}:FEATURE")
    for name in (
        "analysis",
        "chat",
        "email",
        "feeds",
        "forks",
        "moderation",
        "open_data",
        "pictures",
        "plans",
        "push",
        "score_timeline",
        "substitutes",
        "reliability",  # after the substitutes: a turn counts for the player who had the seat
        "transparency",
        "vacations",
        "webhooks",
    )
)
