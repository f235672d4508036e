"""Plans: commands that are played when their question comes."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "plans",
    "Plays the commands that a player has planned for their next question.",
    page="how-to/planned-turns.md",
    api={"service.features.plans.api": "commands"},
    follower="service.features.plans.follower:PlanFollower",
)
