"""Standing orders: what the orders of a seat are, and how they would have answered its recent questions."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "standing_orders",
    "Shows a seat its standing orders and how they would have answered recent questions.",
    page="how-to/standing-orders.md",
    api={"service.features.standing_orders.api": "commands"},
)
