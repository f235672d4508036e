"""Push notifications to browsers (Web Push)."""

from __future__ import annotations

from service.core.feature import Feature
from service.core.notifications.kinds import PUSH

FEATURE = Feature(
    "push",
    "Sends push notifications to a player's browsers.",
    page="how-to/push-notifications.md",
    api={"service.features.push.api": "notifications"},
    signed_in="service.features.push.device:report_sign_in",
    deliveries={PUSH: "service.features.push.handler:PushHandler"},
)
