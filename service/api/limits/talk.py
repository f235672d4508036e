"""How much one account, and one game, may say and report: counted in the store for all processes."""

from __future__ import annotations

from domain.terms import GameId, PlayerId
from service.api.limits.rates import too_many
from service.store.redis.accounts import Accounts

HOUR = 3600
GAME = 5
"""A game may come to so many times what one account may say."""


def take_saying(accounts: Accounts, player_id: PlayerId, game_id: GameId, per_hour: int) -> None:
    """Count something that is said; raises the problem of too much."""
    for bucket, most in ((f"talk:{player_id}", per_hour), (f"talk-in:{game_id}", per_hour * GAME)):
        _take(accounts, bucket, most, "too-many-sayings")


def take_report(accounts: Accounts, player_id: PlayerId, per_hour: int) -> None:
    """Count a report; raises the problem of too many."""
    _take(accounts, f"report:{player_id}", per_hour, "too-many-reports")


def _take(accounts: Accounts, bucket: str, per_hour: int, code: str) -> None:
    if per_hour:
        allowed, _, seconds = accounts.allow(bucket, per_hour, per_hour / HOUR)
        if not allowed:
            raise too_many(seconds, code)
