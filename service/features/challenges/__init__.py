"""Challenges: seats that are reserved for named players, rematches, and the search for players."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "challenges",
    "Finds players by name, challenges them to games, and offers rematches.",
    page="how-to/challenge-players.md",
    api={
        "service.features.challenges.api": "challenges",
        "service.features.challenges.open_api": "challenges",
        "service.features.challenges.search_api": "challenges",
    },
    tags={"challenges": "Find players, challenge them to games, and ask for a rematch."},
    jobs={"side": "service.features.challenges.jobs"},
    minutely=("service.features.challenges.jobs.expire_challenges",),
    hourly=("service.features.challenges.jobs.index_names",),
    erase_account="service.features.challenges.offers:erase_challenges",
)
