"""Creates the games of challenges: who may be challenged, and games with reserved seats."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.http.access.ids import new_id, new_invitation
from service.core.http.access.quotas import count_game
from service.core.http.access.starting import notify, start_if_full
from service.core.http.context.app import AppContext
from service.core.http.context.entropy import request_key
from service.core.http.context.tokens import digest_of
from service.core.http.problems import Problem
from service.core.notifications.lobby_notices import CHALLENGE
from service.features.challenges import offers
from service.store.ports.lobbies import Chair, Lobby, Reservation, is_bot
from service.store.redis.store import Store
from service.store.seal import commitment

LOCK_SECONDS, LOCK_WAIT = 30, 10
"""Seconds after which a lock expires whose request was killed, and for which a request waits for one."""

LOCK_PAUSE = 0.05
"""Seconds between two attempts to acquire a lock."""

BUSY = "Other challenges of these players are being created. Try again later."

NO_ONE = ""
"""The holder of an open seat."""


@contextmanager
def one_at_a_time(store: Store, names: Iterable[str]) -> Iterator[None]:
    """Wraps a check and what it permits: no other request with one of these names is in such a block.

    Raises the problem of too much work if another request does not finish.
    """
    owner, until = secrets.token_hex(8), time.monotonic() + LOCK_WAIT
    # In one order, so that no two requests wait for each other.
    locks = [(f"challenge:{name}", owner) for name in sorted(set(names))]
    try:
        for lock, _ in locks:
            while not store.places.hold(lock, owner, 1, LOCK_SECONDS)[0]:
                if time.monotonic() > until:
                    raise Problem("too-much-work", BUSY, headers={"Retry-After": "1"})
                time.sleep(LOCK_PAUSE)
        yield
    finally:
        store.places.let_go(locks)


def find_unavailable(context: AppContext, by: PlayerId, players: Mapping[PlayerId, int]) -> set[PlayerId]:
    """Players whom this one cannot challenge now: blocked in either direction, suspended, or with too many challenges.

    ``players`` maps each player to the number of new challenges. Nobody learns which of these it is.
    """
    listed, accounts = list(players), context.store.accounts
    active = {player for player, _ in accounts.held([(each, "") for each in listed])}
    full = {each for each, new in players.items() if not offers.has_room(context.store, each, new, context.find_apart)}
    return {*context.find_apart(context.store, by, listed), *full} | (set(listed) - active)


def find_others(by: PlayerId, holders: Iterable[str]) -> list[PlayerId]:
    """The players among these holders, without this one."""
    return [PlayerId(each) for each in holders if each not in (by, NO_ONE) and not is_bot(each)]


def build_game(
    context: AppContext, model: Lobby, holders: Sequence[str], entropy: str, until: int
) -> tuple[Lobby, bytes]:
    """A game like the model, and its seed: with seats for the creator and for bots, and reserved ones for other players.

    ``holders`` are players, ``bot:<name>`` or `NO_ONE`, seat 1 first. It is not stored.
    """
    seed, creator = secrets.token_bytes(32), model.creator
    chairs = tuple(
        Chair(each, entropy if each == creator else "") if _sits(each, creator) else Chair() for each in holders
    )
    reserved = tuple(
        Reservation(Seat(number), PlayerId(each), until)
        for number, each in enumerate(holders, 1)
        if each != NO_ONE and not _sits(each, creator)
    )
    lobby = Lobby(
        GameId(new_id("g")),
        model.kind,
        creator,
        chairs,
        model.ruleset,
        model.options,
        model.modules,
        model.pace,
        model.visibility,
        commitment(seed),
        context.store.schedule.now(),
        invitation_digest=digest_of(new_invitation()),
        table=model.table,
        auto_start=True,
        reserved=reserved,
        title=model.chosen_title,
        tags=model.tags,
    )
    return lobby, seed


def _sits(holder: str, creator: PlayerId) -> bool:
    return holder == creator or is_bot(holder)


def create_games(context: AppContext, games: Sequence[tuple[Lobby, bytes]], until: int) -> list[Lobby]:
    """Create all these games, and notify the players for whom they have seats.

    Raises the problem of too many games before it creates one. A repeated request creates the same games once, and
    queues the same notifications.
    """
    new = [lobby for lobby, _ in games if not (request_key() and context.store.lobbies.get(lobby.id))]
    _count(context, new)
    for lobby, seed in games:
        offers.register(context.store, lobby, until)
        context.store.lobbies.create(lobby, seed)
    stored = context.store.lobbies.read_all([lobby.id for lobby, _ in games])
    for each in filter(None, stored):
        notify(context, each, [offer.player for offer in each.reserved], CHALLENGE, each.made_at)
        start_if_full(context, each.id, each.creator)
    found = context.store.lobbies.read_all([lobby.id for lobby, _ in games])
    return [each for each in found if each is not None]


def _count(context: AppContext, lobbies: Iterable[Lobby]) -> None:
    """Count games before they are created. If there are too many, none is counted as an unstarted game."""
    counted: list[tuple[str, str]] = []
    try:
        for lobby in lobbies:
            count_game(context, lobby)
            counted.append((f"lobbies:{lobby.creator}", lobby.id))
    except Problem:
        context.store.places.let_go(counted)
        raise
