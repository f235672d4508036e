"""Routes for challenges and rematches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response

from domain.kernel.game import AnyGame
from domain.kernel.terms import GameId, PlayerId
from domain.table import bots, features
from service.core.accounts.scopes import GAMES_CREATE, GAMES_READ
from service.core.http.access.auth import authorize, is_member, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.lobbies import game_of
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.resources.games import build_summaries, checked_setup
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.core.http.setup import pace, table, titles
from service.features.challenges import creation, offers
from service.features.challenges.creation import NO_ONE, build_game, create_games, find_others, one_at_a_time
from service.features.challenges.schemas import ChallengeReply, ChallengeRequest, Challenges, RematchRequest
from service.store.ports.lobbies import Lobby, find_offers, is_bot
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

blueprint = Blueprint("challenges", __name__)

REMATCHES = "rematches"
"""Namespace of notes: the rematch of each game."""


@blueprint.post("/v1/challenges")
@documented(
    "Challenge players",
    operation="createChallenges",
    scope=GAMES_CREATE,
    text="Creates one game or several, with seats that are reserved for the players you name. Each player accepts with "
    "`takeSeat`, or declines with `declineChallenge`. A game starts when its last seat is taken. If you leave out your own "
    "id, you organize the game without a seat. To withdraw a challenge, delete the game.",
    takes=ChallengeRequest,
    gives={201: Challenges},
    problems=(
        *("key-reused", "in-progress", "unknown-kind", "unknown-player", "not-challengeable"),
        *("too-many-lobbies", "too-many-games", "too-much-work"),
    ),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The challenges, in the order of your request.",
)
@idempotent
def make() -> Response:
    credential = required_caller()
    context, by = current_context(), credential.player
    body = read_body(ChallengeRequest)
    game = game_of(body["kind"])
    wanted = [_read_holders(game, by, number, each["seats"]) for number, each in enumerate(body["games"])]
    models = [
        _build_model(context, by, game, body, len(holders), f"/games/{number}/seats")
        for number, holders in enumerate(wanted)
    ]
    until = context.store.schedule.now() + 1000 * body["expires_in"]
    games = [
        build_game(context, model, holders, body["entropy"], until)
        for model, holders in zip(models, wanted, strict=True)
    ]
    with one_at_a_time(context.store, {each for holders in wanted for each in find_others(by, holders)}):
        _require_available(context, by, wanted)
        made = create_games(context, games, until)
    return json_response({"challenges": _build(context, made, by)}, 201)


def _read_holders(game: AnyGame, by: PlayerId, number: int, seats: Sequence[Mapping[str, str]]) -> list[str]:
    """The holder of each seat. Raises the problem with the first wrong seat."""
    found: list[str] = []
    known = bots.all_names(game)
    for place, seat in enumerate(seats):
        pointer = f"/games/{number}/seats/{place}"
        if "player" in seat and "bot" in seat:
            raise invalid_fields([(pointer, "Name a player or a bot, not both.")])
        if "bot" in seat and seat["bot"] not in known:
            raise invalid_fields([(f"{pointer}/bot", f"Must be one of {', '.join(known)}.")])
        if seat.get("player") in found:
            raise invalid_fields([(f"{pointer}/player", "This player already has a seat in the game.")])
        found.append(f"bot:{seat['bot']}" if "bot" in seat else seat.get("player", NO_ONE))
    if all(each in (by, NO_ONE) or is_bot(each) for each in found):
        raise invalid_fields([(f"/games/{number}/seats", "Must name at least one other player.")])
    return found


def _build_model(
    context: AppContext, by: PlayerId, game: AnyGame, body: dict[str, Any], seats: int, pointer: str
) -> Lobby:
    """A game with the settings of the request. Raises the problem with every wrong setting."""
    setup = checked_setup(game, {**body, "seats": seats}, pointer)
    times = pace.checked(game, body)
    rules = table.checked(game, body["table"], can_be_rated=body["visibility"] == "public")
    return Lobby(
        GameId(""),
        game.key,
        by,
        (),
        setup.ruleset,
        setup.options,
        setup.modules,
        times,
        body["visibility"],
        "",
        context.store.schedule.now(),
        table=rules,
        **titles.checked_naming(body),
    )


def _require_available(context: AppContext, by: PlayerId, wanted: Sequence[Sequence[str]]) -> None:
    """Raises the problem of the first player who does not exist, or who cannot be challenged."""
    challenged = {
        f"/games/{number}/seats/{place}/player": PlayerId(holder)
        for number, holders in enumerate(wanted)
        for place, holder in enumerate(holders)
        if find_others(by, [holder])
    }
    new = Counter(challenged.values())
    known = context.store.accounts.players(list(new))
    unavailable = creation.find_unavailable(context, by, {each: new[each] for each in known})
    unavailable |= offers.list_unlisted(context.store, list(known))
    for pointer, player_id in challenged.items():
        if player_id not in known:
            raise Problem("unknown-player", pointer=pointer)
        if player_id in unavailable:
            raise Problem("not-challengeable", pointer=pointer)


@blueprint.get("/v1/me/challenges")
@documented(
    "List my challenges",
    operation="listChallenges",
    scope=GAMES_READ,
    text="Lists the games in which a seat is reserved for you, and the challenges that you have sent, until the games start.",
    gives={200: Challenges},
    auth="required",
    answer="The challenges, newest first.",
)
def show() -> Response:
    credential, context = required_caller(), current_context()
    found = offers.list_challenges(context.store, credential.player)
    apart = context.find_apart(context.store, credential.player, {each.creator for each in found})
    found = [each for each in found if each.creator not in apart]
    return json_response({"challenges": _build(context, found, credential.player)})


def _build(context: AppContext, lobbies: Sequence[Lobby], player_id: PlayerId) -> list[dict[str, Any]]:
    now = context.store.schedule.now()
    return [
        {
            "game": game,
            "received": player_id in find_offers(lobby.reserved, now).values(),
            "expires_at": _find_end(lobby, player_id, now),
        }
        for lobby, game in zip(
            lobbies, build_summaries(context, context.offload.local_reads, lobbies, player_id), strict=True
        )
    ]


def _find_end(lobby: Lobby, player_id: PlayerId, now: int) -> int | None:
    open_ = [each for each in lobby.reserved if each.until > now]
    own = [each for each in open_ if each.player == player_id]
    return max((each.until for each in own or open_), default=None)


@blueprint.delete("/v1/me/challenges/<game>")
@documented(
    "Decline a challenge",
    operation="declineChallenge",
    scope=GAMES_CREATE,
    text="The seat that was reserved for you becomes free, and the game's creator is notified.",
    gives={204: None},
    problems=("unknown-challenge", "started"),
    auth="required",
    answer="The challenge is declined.",
)
def decline(game_id: GameId) -> Response:
    player_id, context = required_caller().player, current_context()
    lobby = context.store.lobbies.get(game_id)
    if lobby is None or player_id not in find_offers(lobby.reserved, context.store.schedule.now()).values():
        raise Problem("unknown-challenge")
    if offers.decline(context.store, lobby, player_id) and context.queue is not None:
        context.queue.post([context.store.schedule.partition(game_id)])
    return no_content()


@blueprint.post("/v1/games/<game>/rematch")
@documented(
    "Ask for a rematch",
    operation="createRematch",
    scope=GAMES_CREATE,
    text="Challenges the players of a finished game to another one with the same settings. Each player gets the next seat, "
    "and the last player gets seat 1. Bots play again. If a player has asked before you, you get that challenge.",
    takes=RematchRequest,
    gives={200: ChallengeReply, 201: ChallengeReply},
    problems=(
        *("key-reused", "in-progress", "unknown-game", "not-started", "not-your-seat", "game-not-over"),
        *("feature-disabled", "not-challengeable", "unknown-challenge", "too-many-lobbies", "too-many-games"),
        "too-much-work",
    ),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The new game. 200 if it already existed.",
    headers=("Location",),
)
@idempotent
def rematch(game_id: GameId) -> Response:
    credential = required_caller()
    access = authorize(game_id, credential, fresh=True)
    body = read_body(RematchRequest)
    context, lobby, by = access.context, access.lobby, credential.player
    access.require_started()
    game_of(lobby.kind)
    old = [chair.holder or NO_ONE for chair in lobby.chairs]
    if by not in old:
        raise Problem("not-your-seat")
    if lobby.sandbox is not None:
        raise Problem("feature-disabled", "A sandbox has no rematch.")
    if lobby.status != "over":
        raise Problem("game-not-over")
    until = context.store.schedule.now() + 1000 * body["expires_in"]
    model = replace(lobby, creator=by, title="", table=features.complete_settings(lobby.table))
    game = build_game(context, model, [*old[-1:], *old[:-1]], body["entropy"], until)
    others = find_others(by, old)
    with one_at_a_time(context.store, {game_id, *others}):
        if creation.find_unavailable(context, by, dict.fromkeys(others, 1)):
            raise Problem("not-challengeable")
        known = _claim(context.store, game_id, game[0].id)
        if known is None:
            return _answer(context, create_games(context, [game], until)[0], by, 201)
    if not is_member(known, by, context.store.schedule.now):
        raise Problem("unknown-challenge", "There is a rematch. You have declined it, or have not answered in time.")
    return _answer(context, known, by, 200)


def _claim(store: Store, game_id: GameId, own: GameId) -> Lobby | None:
    """The rematch of a game that already exists. None if it is to be created under this id.

    Call it in `one_at_a_time`: otherwise a rematch that is just being created is taken for a deleted one.
    """
    while True:
        stored = GameId(store.notes.keep(NO_GAME, REMATCHES, game_id, own.encode()).decode())
        known = None if stored == own else store.lobbies.get(stored)
        if stored == own or known is not None:
            return known
        store.notes.erase(NO_GAME, REMATCHES, [game_id])  # it was deleted


def _answer(context: AppContext, lobby: Lobby, player_id: PlayerId, status: int) -> Response:
    return json_response(_build(context, [lobby], player_id)[0], status, {"Location": f"/v1/games/{lobby.id}"})
