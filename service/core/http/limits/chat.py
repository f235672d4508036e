"""Number of messages and reports per account and game, counted in the store for all processes."""

from __future__ import annotations

from domain.kernel.terms import GameId, PlayerId
from service.core.http.limits.rates import limit_problem
from service.store.redis.accounts import Accounts

HOUR = 3600
GAME_FACTOR = 5
"""The limit of a game, as a multiple of an account's limit."""


def count_message(accounts: Accounts, player_id: PlayerId, game_id: GameId, per_hour: int) -> None:
    """Count a message. Raises the problem of too many."""
    for bucket, most in ((f"talk:{player_id}", per_hour), (f"talk-in:{game_id}", per_hour * GAME_FACTOR)):
        _count(accounts, bucket, most, "too-many-messages")


def count_report(accounts: Accounts, player_id: PlayerId, per_hour: int) -> None:
    """Count a report. Raises the problem of too many."""
    _count(accounts, f"report:{player_id}", per_hour, "too-many-reports")


def _count(accounts: Accounts, bucket: str, per_hour: int, code: str) -> None:
    if per_hour:
        allowed, _, seconds = accounts.allow(bucket, per_hour, per_hour / HOUR)
        if not allowed:
            raise limit_problem(seconds, code)
