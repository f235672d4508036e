"""Notifications: deliveries that are due after commits, and the job that makes them."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "notifications",
    "Notes after each commit which deliveries are due, and makes them: those of webhooks, email and push notifications.",
    page="how-to/receive-webhooks.md",
    follower="service.features.notifications.follower:Notifications",
    jobs={"side": "service.features.notifications.drain"},
)
