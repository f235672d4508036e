"""Ratings: estimates of the players' strength, which anyone can compute again from exports."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "ratings",
    "Rates players by the results of rated games, and publishes the lists every day.",
    page="ratings.md",
    api={"service.features.ratings.api": "ratings"},
    tags={"ratings": "Ratings of players, and the published lists that anyone can compute again."},
    follower="service.features.ratings.follower:RatingsFollower",
    jobs={"side": "service.features.ratings.jobs"},
    minutely=("service.features.ratings.jobs.update_ratings",),
    commands={"ratings": "service.cli.commands.ratings"},
    ratings="service.features.ratings.storage:find_ratings",
)
