"""Analysis of finished games: judged decisions, winning chances, luck and turning points."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "analysis",
    "Analyzes finished games and the player's own sandboxes.",
    api={"service.features.analysis.api": "analysis"},
    tags={"analysis": "Analyses of finished games and of your own sandboxes."},
    jobs={"compute": "service.features.analysis.jobs", "side": "service.features.analysis.jobs"},
    commands={"analyse": "service.cli.commands.analyse"},
    minutely=("service.features.analysis.jobs.pick_up_analyses",),
)
