"""Substitutes and sitters: vacant seats, requests for them, and players who play for others."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "substitutes",
    "Lets other players take vacant seats, and play as sitters for a time.",
    page="how-to/absent-players.md",
    api={
        "service.features.substitutes.api": "seats",
        "service.features.substitutes.sitters_api": "seats",
        "service.features.substitutes.requests_api": "seats",
    },
    follower="service.features.substitutes.follower:SeatFollower",
)
