"""How many games and tokens an account may have, and how often it may guess: counted in the store for all processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from domain.play.parts.seats import MIN_RELIABILITY
from domain.terms import GameId, PlayerId
from service.api.context.app import AppContext
from service.api.http.problems import Problem
from service.api.limits.rates import address, too_many
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby

FOR_EVER = 10 * 365 * 24 * 3600
"""Seconds that a game holds its place; one that is over or gone gives it up in `take_table`."""

YOUNG = 60
"""Seconds in which a game that has a place may not be there yet."""

LATER = 60
"""Seconds after which it may be worth while to ask again for what only its owner can make room for."""

HOUR = 3600
_GUESSES = ("wrong-code", "wrong-invitation", "unknown-game")
"""The codes of the problems by which a wrong guess fails."""


def take_table(context: AppContext, lobby: Lobby) -> None:
    """Count a game that is about to be made; raises the problem of too many of its kind."""
    settings = context.settings
    kind, most = ("lobbies", settings.lobbies) if lobby.sandbox is None else ("sandboxes", settings.sandboxes)
    if not most:
        return
    name, places = f"{kind}:{lobby.creator}", context.store.places
    if places.hold(name, lobby.id, most, FOR_EVER)[0]:
        return
    # Nobody says when a game starts, ends or is removed: the places of such are looked for when there is no other.
    settled = [GameId(place) for place, left in places.held(name).items() if left < FOR_EVER - YOUNG]
    gone = [game_id for game_id in settled if not _counts(context, game_id)]
    places.let_go([(name, game_id) for game_id in gone])
    if not gone or not places.hold(name, lobby.id, most, FOR_EVER)[0]:
        raise too_many(LATER, f"too-many-{kind}", f"An account may have {most} of them at a time.")


def _counts(context: AppContext, game_id: GameId) -> bool:
    lobby = context.store.lobbies.get(game_id)
    return lobby is not None and (lobby.status == "lobby" or (lobby.sandbox is not None and lobby.status == "running"))


def too_many_tokens(most: int) -> Problem:
    """The problem of an account with as many tokens as it may have."""
    return too_many(LATER, "too-many-tokens", f"An account may have {most}: revoke one of them.")


@contextmanager
def guessing(context: AppContext, what: str, per_hour: int, *guessers: str) -> Iterator[None]:
    """Around an attempt that may be a guess: wrong ones are counted, and when there were too many nothing is tried.

    Each is counted before it is tried, because otherwise many at once would all be; and given back if it was right.
    """
    buckets = [f"{what}:{guesser}" for guesser in guessers] if per_hour else []
    allow = context.store.accounts.allow
    for place, bucket in enumerate(buckets):
        allowed, _, seconds = allow(bucket, per_hour, per_hour / HOUR)
        if not allowed:
            _give_back(context, buckets[:place], per_hour)
            raise too_many(seconds, "too-many-guesses")
    try:
        yield
    except (Problem, LobbyRefusal) as error:
        if error.code not in _GUESSES:
            _give_back(context, buckets, per_hour)
        raise
    _give_back(context, buckets, per_hour)


def _give_back(context: AppContext, buckets: list[str], per_hour: int) -> None:
    for bucket in buckets:
        context.store.accounts.allow(bucket, per_hour, per_hour / HOUR, -1)


def from_here(player_id: PlayerId) -> tuple[str, str]:
    """A player and the address that the request comes from: both are counted when they guess wrong."""
    return player_id, address()


def require_reliable(context: AppContext, lobby: Lobby, player_id: PlayerId) -> None:
    """Raises the problem of a player who has missed more of their turns than the game's creator allows."""
    least = lobby.table.get(MIN_RELIABILITY, 0)
    if not least:
        return
    reliability = context.store.lobbies.reliability(player_id)
    if reliability.percent < least:
        told = {"asked": reliability.asked, "in_time": reliability.in_time}
        raise Problem("too-unreliable", min_reliability=least, reliability=told)
