"""Webhooks: events of a player's games, posted to a URL."""

from __future__ import annotations

from service.core.feature import Feature
from service.core.notifications.kinds import WEBHOOK

FEATURE = Feature(
    "webhooks",
    "Posts events of a player's games to a URL, as signed JSON or as messages of a chat service.",
    page="how-to/receive-webhooks.md",
    api={"service.features.webhooks.api": "webhooks", "service.features.webhooks.deliveries_api": "webhooks"},
    tags={"webhooks": "Webhooks, which post events of your games to a URL, and their deliveries."},
    contract="service.features.webhooks.contract",
    deliveries={WEBHOOK: "service.features.webhooks.handler:WebhookHandler"},
)
