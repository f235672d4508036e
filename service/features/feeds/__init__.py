"""Feeds with a secret URL: a game's history and pending questions (Atom), and deadlines (iCalendar)."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "feeds",
    "Serves histories, pending questions and deadlines to feed readers and calendars.",
    page="how-to/feeds.md",
    api={"service.features.feeds.api": "feeds", "service.features.feeds.public_api": "feeds"},
    tags={"feeds": "Feeds with a secret URL, for feed readers and calendars that cannot send a token."},
)
