"""The transparency log of heads, which reveals rewritten games."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "transparency",
    "Logs the heads of games, and serves the transparency log: checkpoints, tiles and keys.",
    page="audit.md",
    api={"service.features.transparency.api": "audit"},
    jobs={"side": "service.features.transparency.heads"},
    periodic={"workers.schedule.log_heads": "log_seconds"},
    metrics="service.features.transparency.heads:metrics",
)
