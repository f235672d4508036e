"""Chat messages in a game."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "chat",
    "Sends, lists and erases chat messages.",
    page="how-to/talk-and-vote.md",
    api={"service.features.chat.api": "chat"},
    tags={"chat": "Chat messages in a game: send, read and erase."},
)
