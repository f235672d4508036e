"""When a failed delivery is tried again."""

from __future__ import annotations

import time
from contextlib import suppress
from email.utils import parsedate_to_datetime

from service.ops.settings import BadSetting, Settings

MAX_INTERVAL = 30 * 24 * 3600
"""Maximum seconds between two attempts."""

MAX_RETRY_AFTER = 3600
"""Maximum seconds that a receiver may request in `Retry-After`. A longer pause could block a game's notifications."""


MAX_RETRY_TIME, MAX_RETRY_INTERVAL = 24 * 3_600_000, 3_600_000
"""Milliseconds for which an email or a push notification is retried, and maximum milliseconds between two attempts."""


def plan_retry(since: int, now: int, soonest: int) -> int:
    """When to retry what has failed since an instant: after the same time again, but at least ``soonest`` milliseconds."""
    return now + min(max(now - since, soonest), MAX_RETRY_INTERVAL)


def parse_retries(settings: Settings) -> tuple[int, ...]:
    """The seconds between attempts to deliver to a webhook, from the settings. Raises `BadSetting`."""
    if any(not (text.isdecimal() and int(text) <= MAX_INTERVAL) for text in settings.webhook_retries):
        raise BadSetting("ORACLEWHEEL_WEBHOOK_RETRIES must be numbers of seconds, separated by commas.")
    return tuple(map(int, settings.webhook_retries))


def parse_retry_after(text: str) -> int:
    """The seconds from now that a `Retry-After` header requests, at most `MAX_RETRY_AFTER`; 0 if it cannot be parsed."""
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return min(int(text[:10]), MAX_RETRY_AFTER) if len(text) <= 10 else MAX_RETRY_AFTER
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, min(round(parsedate_to_datetime(text).timestamp() - time.time()), MAX_RETRY_AFTER))
    return 0
