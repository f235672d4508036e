"""The transparency log of heads, which reveals rewritten games."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "transparency",
    "Serves the transparency log: checkpoints, tiles and keys.",
    page="audit.md",
    api={"service.features.transparency.api": "audit"},
)
