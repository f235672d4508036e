"""Number of messages and reports per account and game, counted in the store for all processes."""

from __future__ import annotations

from domain.terms import GameId, PlayerId
from service.api.limits.rates import too_many
from service.store.redis.accounts import Accounts

HOUR = 3600
GAME = 5
"""The limit of a game, as a multiple of an account's limit."""


def take_saying(accounts: Accounts, player_id: PlayerId, game_id: GameId, per_hour: int) -> None:
    """Count a message. Raises the problem of too many."""
    for bucket, most in ((f"talk:{player_id}", per_hour), (f"talk-in:{game_id}", per_hour * GAME)):
        _take(accounts, bucket, most, "too-many-messages")


def take_report(accounts: Accounts, player_id: PlayerId, per_hour: int) -> None:
    """Count a report. Raises the problem of too many."""
    _take(accounts, f"report:{player_id}", per_hour, "too-many-reports")


def _take(accounts: Accounts, bucket: str, per_hour: int, code: str) -> None:
    if per_hour:
        allowed, _, seconds = accounts.allow(bucket, per_hour, per_hour / HOUR)
        if not allowed:
            raise too_many(seconds, code)
