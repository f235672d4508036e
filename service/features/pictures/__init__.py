"""Pictures of the board and the score chart."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "pictures",
    "Draws boards and score charts as SVG and PNG.",
    api={"service.features.pictures.api": "views"},
)
