"""The job of search bots, by the name that RQ has for it."""

from __future__ import annotations

from service.core.feature import load


def choose(game_id: str, due: str) -> str:
    """Answer a question to a search bot (`service.store.ports.waiting.Due.question`); returns the result, for the log."""
    return str(load("service.features.search_bots.choosing:choose")(game_id, due))
