"""The timeline of a game: days, turns, scores and undone commands."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "score_timeline",
    "Serves what a replay needs in addition to boards and history.",
    api={"service.features.score_timeline.api": "events"},
)
