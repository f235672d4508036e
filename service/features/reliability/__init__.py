"""Reliability: whether players play their turns in time."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "reliability",
    "Counts whether players play their turns in time; games can ask for a minimum.",
    follower="service.features.reliability.follower:ReliabilityFollower",
)
