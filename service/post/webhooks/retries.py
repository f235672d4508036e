"""When a word that was not taken is tried again."""

from __future__ import annotations

import time
from contextlib import suppress
from email.utils import parsedate_to_datetime

from service.settings import BadSetting, Settings

LONGEST = 30 * 24 * 3600
"""Seconds between two tries."""

MOST_ASKED = 3600
"""Seconds for which a receiver may ask to be left alone: longer, and it could hold up a game for as long as it likes."""


def retries(settings: Settings) -> tuple[int, ...]:
    """The seconds between one try and the next, as the operator has set them; raises `BadSetting`."""
    if any(not (text.isdecimal() and int(text) <= LONGEST) for text in settings.webhook_retries):
        raise BadSetting("ORACLEWHEEL_WEBHOOK_RETRIES must be numbers of seconds, separated by commas.")
    return tuple(map(int, settings.webhook_retries))


def seconds_asked(text: str) -> int:
    """The seconds from now that a header `Retry-After` asks for, `MOST_ASKED` at most; 0 for one that says nothing of use."""
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return min(int(text[:10]), MOST_ASKED) if len(text) <= 10 else MOST_ASKED
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, min(round(parsedate_to_datetime(text).timestamp() - time.time()), MOST_ASKED))
    return 0
