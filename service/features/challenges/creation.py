"""Creates the games of challenges: who may be challenged, and games with reserved seats."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Sequence

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
from service.store.seal import commitment

NO_ONE = ""
"""The holder of an open seat."""


def find_unavailable(context: AppContext, by: PlayerId, players: Collection[PlayerId]) -> set[PlayerId]:
    """Players whom this one cannot challenge now: blocked in either direction, suspended, or with too many challenges.

    Nobody learns which of these it is.
    """
    listed, accounts = list(players), context.store.accounts
    active = {player for player, _ in accounts.held([(each, "") for each in listed])}
    full = {each for each in listed if not offers.has_room(context.store, each)}
    return {*context.find_apart(context.store, by, listed), *full} | (set(listed) - active)


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
