"""Studies: private sandboxes in which a player tries lines of a game, from what their seat may know."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "studies",
    "Lets players try lines of a game in private sandboxes, from what they may know.",
    page="how-to/study-a-game.md",
    api={"service.features.studies.api": "studies"},
    tags={"studies": "Private sandboxes in which you try lines of a game. Only you can see them."},
    erase_account="service.features.studies.storage:erase_studies",
)
