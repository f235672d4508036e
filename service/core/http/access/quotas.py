"""Quotas of games, tokens and guesses per account, counted in the store for all processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import orjson
from flask import request

from domain.kernel.terms import GameId, PlayerId
from domain.table.seats import MIN_RELIABILITY
from service.core.game_start import acquire_game_slot
from service.core.http.access.auth import GameAccess
from service.core.http.context.app import AppContext
from service.core.http.limits.rates import client_address, limit_problem
from service.core.http.problems import Problem
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby

COMMIT_BYTES = 1024
"""Stored bytes of a commit in addition to the command, for quotas: more than usual."""

LIMIT_RETRY_SECONDS = 60
"""Seconds until a retry, for limits where the owner must delete something first."""

HOUR, DAY = 3600, 24 * 3600
"""Seconds."""
_GUESSES = ("wrong-code", "wrong-invitation", "unknown-game", "sign-in-failed")
"""The problem codes of wrong guesses."""


def count_game(context: AppContext, lobby: Lobby) -> None:
    """Count a game before it is created. Raises the problem of too many of its kind, or of too many in a day."""
    settings, accounts = context.settings, context.store.accounts
    kind, limit = ("lobbies", settings.lobbies) if lobby.sandbox is None else ("sandboxes", settings.sandboxes)
    _take_slot(context, f"{kind}:{lobby.creator}", lobby.id, limit, f"too-many-{kind}", _is_unfinished)
    try:
        if lobby.sandbox is not None:
            count_sandbox_bytes(context, lobby.creator, len(orjson.dumps(dict(lobby.sandbox), default=str)))
        if settings.games_day:
            bucket, rate = f"games:{lobby.creator}", settings.games_day / DAY
            allowed, _, seconds = accounts.allow(bucket, settings.games_day, rate)
            if not allowed:
                raise limit_problem(
                    seconds,
                    "too-many-games",
                    f"An account can create {settings.games_day} games a day. Try again later.",
                )
    except Problem:
        context.store.places.let_go([(f"{kind}:{lobby.creator}", lobby.id)])
        raise


def count_sandbox_commands(access: GameAccess, commands: int) -> None:
    """Count the commands in this request's body if the game is a sandbox. Raises the problem of too many in a day."""
    if access.lobby.sandbox is not None and access.player_id is not None:
        count_sandbox_bytes(access.context, access.player_id, len(request.get_data()) + commands * COMMIT_BYTES)


def count_sandbox_bytes(context: AppContext, player_id: PlayerId, count: int) -> None:
    """Count bytes sent to a sandbox. Raises the problem of too many in a day."""
    limit = context.settings.sandbox_mib_day * 1024
    if not limit:
        return
    kib = min(limit, -(-count // 1024))
    allowed, _, seconds = context.store.accounts.allow(f"sandbox-kib:{player_id}", limit, limit / DAY, kib)
    if not allowed:
        detail = f"An account can send {context.settings.sandbox_mib_day} MiB to sandboxes a day. Try again later."
        raise limit_problem(seconds, "too-much-sandbox-data", detail)


def _take_slot(
    context: AppContext, name: str, game_id: GameId, limit: int, code: str, counts: Callable[[Lobby], bool]
) -> None:
    if not acquire_game_slot(context.store, name, game_id, limit, counts):
        raise too_many_games_problem(code, limit)


def too_many_games_problem(code: str, limit: int) -> Problem:
    """The problem of an account with the maximum number of games of a kind."""
    return limit_problem(LIMIT_RETRY_SECONDS, code, f"An account can have {limit} of them at a time.")


def _is_unfinished(lobby: Lobby) -> bool:
    return lobby.status == "lobby" or (lobby.sandbox is not None and lobby.status == "running")


def too_many_tokens_problem(limit: int) -> Problem:
    """The problem of an account with the maximum number of tokens."""
    return limit_problem(
        LIMIT_RETRY_SECONDS, "too-many-tokens", f"An account can have {limit} tokens. Revoke one of them."
    )


@contextmanager
def limit_guesses(context: AppContext, what: str, per_hour: int, *guessers: str) -> Iterator[None]:
    """Wraps an attempt that may be a guess. Wrong ones are counted, and after too many the attempt is rejected.

    Each attempt is counted before it is made, because otherwise many at once would all be made. It is given back if it
    was right.
    """
    buckets = [f"{what}:{guesser}" for guesser in guessers] if per_hour else []
    allow = context.store.accounts.allow
    for place, bucket in enumerate(buckets):
        allowed, _, seconds = allow(bucket, per_hour, per_hour / HOUR)
        if not allowed:
            _refund(context, buckets[:place], per_hour)
            raise limit_problem(seconds, "too-many-guesses")
    try:
        yield
    except (Problem, LobbyRefusal) as error:
        if error.code not in _GUESSES:
            _refund(context, buckets, per_hour)
        raise
    _refund(context, buckets, per_hour)


def _refund(context: AppContext, buckets: list[str], per_hour: int) -> None:
    for bucket in buckets:
        context.store.accounts.allow(bucket, per_hour, per_hour / HOUR, -1)


def player_and_address(player_id: PlayerId) -> tuple[str, str]:
    """A player and the address of the request: wrong guesses count for both."""
    return player_id, client_address()


def require_reliable(context: AppContext, lobby: Lobby, player_id: PlayerId) -> None:
    """Raises the problem of a player who has missed more turns than the game's creator allows."""
    minimum = lobby.table.get(MIN_RELIABILITY, 0)
    if not minimum:
        return
    reliability = context.store.lobbies.reliability(player_id)
    if reliability.percent < minimum:
        members = {"turns": reliability.asked, "in_time": reliability.in_time}
        raise Problem("too-unreliable", min_reliability=minimum, reliability=members)
