"""The features. Each is a package that can be deleted together with its line in `FEATURES`."""

from __future__ import annotations

from service.core.feature import Feature, load

FEATURES: tuple[Feature, ...] = tuple(
    load(f"service.features.{name}:FEATURE")
    for name in (
        "analysis",
        "apps",
        "archive",
        "challenges",
        "chat",
        "cleanup",
        "email",
        "email_sign_in",
        "favorites",
        "feeds",
        "forks",
        "labels",
        "moderation",
        "notifications",
        "oauth",
        "open_data",
        "passkeys",
        "pictures",
        "plans",
        "profiles",
        "push",
        "ratings",
        "recovery_codes",
        "reliability",
        "score_timeline",
        "search_bots",
        "standing_orders",
        "studies",
        "substitutes",
        "tournaments",
        "traces",
        "transparency",
        "vacations",
        "webhooks",
    )
)
