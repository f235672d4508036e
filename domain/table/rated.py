"""Rated games: whether the result of a game counts for the ratings of its players (RAT-01)."""

from __future__ import annotations

from domain.kernel.settings import Setting

RATED = "rated"

SETTING = Setting(
    RATED,
    "Whether the game counts for the ratings of its players. Only public games can be rated, and no sandboxes.",
    False,
    (False, True),
)
