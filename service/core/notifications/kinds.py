"""The kinds of subscriptions, as the store and the metrics name them."""

from __future__ import annotations

EMAIL, PUSH, WEBHOOK = "letters", "push", "webhook"
