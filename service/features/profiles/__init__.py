"""Profiles: a player's finished games by kind, seat and result, and against other players."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "profiles",
    "Counts a player's results by kind and seat, and against other players.",
    page="how-to/profiles.md",
    api={"service.features.profiles.api": "profiles"},
    tags={"profiles": "Results of players, head to head, and what players hide."},
    follower="service.features.profiles.follower:ProfilesFollower",
    find_known="service.features.profiles.storage:list_recent_opponents",
    find_hiding="service.features.profiles.storage:find_hiding",
    erase_account="service.features.profiles.storage:erase_profile",
)
