"""When a failed webhook delivery is tried again."""

from __future__ import annotations

import time
from contextlib import suppress
from email.utils import parsedate_to_datetime

from service.settings import BadSetting, Settings

LONGEST = 30 * 24 * 3600
"""Maximum seconds between two attempts."""

MOST_ASKED = 3600
"""Maximum seconds that a receiver may request in `Retry-After`. A longer pause could block a game's notifications."""


def retries(settings: Settings) -> tuple[int, ...]:
    """The seconds between attempts, from the settings. Raises `BadSetting`."""
    if any(not (text.isdecimal() and int(text) <= LONGEST) for text in settings.webhook_retries):
        raise BadSetting("ORACLEWHEEL_WEBHOOK_RETRIES must be numbers of seconds, separated by commas.")
    return tuple(map(int, settings.webhook_retries))


def seconds_asked(text: str) -> int:
    """The seconds from now that a `Retry-After` header requests, at most `MOST_ASKED`; 0 if it cannot be parsed."""
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return min(int(text[:10]), MOST_ASKED) if len(text) <= 10 else MOST_ASKED
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, min(round(parsedate_to_datetime(text).timestamp() - time.time()), MOST_ASKED))
    return 0
