"""When a word that was not taken is tried again."""

from __future__ import annotations

from service.settings import BadSetting, Settings

LONGEST = 30 * 24 * 3600
"""Seconds between two tries."""


def retries(settings: Settings) -> tuple[int, ...]:
    """The seconds between one try and the next, as the operator has set them; raises `BadSetting`."""
    if any(not (text.isdecimal() and int(text) <= LONGEST) for text in settings.webhook_retries):
        raise BadSetting("ORACLEWHEEL_WEBHOOK_RETRIES must be numbers of seconds, separated by commas.")
    return tuple(map(int, settings.webhook_retries))
