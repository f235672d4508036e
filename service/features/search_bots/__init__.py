"""Search bots: workers of their own compute their moves."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "search_bots",
    "Computes the moves of search bots in workers of their own; without it fallback bots answer.",
    page="operating.md",
    jobs={"compute": "service.features.search_bots.choosing"},
    search="service.features.search_bots.requests:shared_asking",
)
