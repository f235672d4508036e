"""Email: questions and news of a player's games, sent to a confirmed address."""

from __future__ import annotations

from service.core.feature import Feature
from service.core.notifications.kinds import EMAIL

FEATURE = Feature(
    "email",
    "Sends email about a player's games: questions, reminders, news, and a daily summary.",
    page="how-to/email.md",
    api={"service.features.email.api": "notifications", "service.features.email.links_api": "notifications"},
    deliveries={EMAIL: "service.features.email.handler:EmailHandler"},
    tokens={"owl_": "service.features.email.links:find_credential"},
    preferences_changed="service.features.email.api:reschedule",
    erase_account="service.features.email.links:revoke_links",
    metrics="service.core.outbound.mail_server:metrics",
    doctor="service.core.outbound.mail_server:find_problems",
)
