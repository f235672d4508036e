"""Analysis of finished games: judged decisions, winning chances, luck and turning points."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "analysis",
    "Analyzes finished games and the player's own sandboxes.",
    api={"service.features.analysis.api": "analysis"},
    tags={"analysis": "Analyses of finished games and of your own sandboxes."},
)
