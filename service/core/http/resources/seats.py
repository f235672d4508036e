"""Routes for seats before the start: take, leave, add entropy, renew the invitation."""

from __future__ import annotations

import hmac

from flask import Blueprint, Response
from werkzeug.exceptions import HTTPException

from domain.kernel.terms import GameId, PlayerId, Seat
from domain.table import bots
from service.core.accounts.scopes import GAMES_CREATE
from service.core.http.access.auth import GameAccess, authorize, is_member, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_invitation
from service.core.http.access.quotas import limit_guesses, player_and_address, require_reliable
from service.core.http.access.starting import start_if_full
from service.core.http.context.app import current_context
from service.core.http.context.entropy import request_key
from service.core.http.context.tokens import digest_of
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas import replies
from service.core.http.schemas.requests import EmptyRequest, EntropyRequest, TakeSeatRequest, body_object, read_body
from service.core.notifications.game_subscriptions import subscribe_game, unsubscribe_game
from service.store.ports.accounts import Credential
from service.store.ports.lobbies import Lobby, is_bot

blueprint = Blueprint("seats", __name__)


@blueprint.post("/v1/games/<game>/seats")
@documented(
    "Take a seat",
    operation="takeSeat",
    scope=GAMES_CREATE,
    text="Anyone can join a public game; other games need the invitation, unless a seat is reserved for you. A player "
    "can take one seat per game, or several in a sandbox. With `bot`, the creator seats a bot. To accept a challenge, "
    "take the seat that is reserved for you.",
    takes=TakeSeatRequest,
    gives={201: replies.SeatAssignment},
    problems=(
        "key-reused",
        "in-progress",
        *("unknown-game", "wrong-invitation", "not-creator", "started", "full", "seated-already", "seat-taken"),
        *("seat-reserved", "not-admitted"),
        "too-unreliable",
        "too-many-guesses",
    ),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The seat and its new holder.",
    headers=("Location",),
)
@idempotent
def join(game_id: GameId) -> Response:
    credential = required_caller()
    context = current_context()
    if not _brings_invitation():
        return _join(game_id, credential)
    with limit_guesses(
        context, "invitation", context.settings.rate_wrong_invitations, *player_and_address(credential.player)
    ):
        return _join(game_id, credential)


def _brings_invitation() -> bool:
    """Whether the body has an invitation, right or wrong. An unreadable body is reported where it is read."""
    try:
        return "invitation" in body_object()
    except (Problem, HTTPException):
        return False


def _join(game_id: GameId, credential: Credential) -> Response:
    context = current_context()
    seated = context.lobby_cache.get(game_id, fresh=True)
    lobby = seated.lobby
    hidden = lobby.visibility == "private" and not is_member(lobby, credential.player, context.store.schedule.now)
    try:
        body = read_body(TakeSeatRequest)
        wanted = _wanted_seat(lobby, body.get("seat"))
    except (Problem, HTTPException) as error:
        raise Problem("unknown-game") if hidden else error from None
    code = body.get("invitation")
    digest = None if code is None else digest_of(code)
    if hidden and not (digest and lobby.status == "lobby" and _matches(digest, lobby.invitation_digest)):
        raise Problem("unknown-game")
    if "bot" in body:
        _check_bot(lobby, credential.player, body)
        seat = context.store.lobbies.seat_bot(game_id, credential.player, body["bot"], wanted, request_key())
    else:
        if context.are_apart(credential.player, lobby.creator):
            raise Problem("not-admitted")
        if lobby.status == "lobby" and lobby.creator != credential.player:
            require_reliable(context, lobby, credential.player)
        seat = context.store.lobbies.join(
            game_id, credential.player, body.get("entropy", ""), digest, wanted, request_key()
        )
        subscribe_game(context.store, game_id, [credential.player])
    start_if_full(context, game_id, credential.player)
    headers = {"Location": f"/v1/games/{game_id}/seats/{seat}"}
    return json_response({"game": game_id, "seat": seat, "bot": body.get("bot")}, 201, headers)


def _matches(one: str, other: str) -> bool:
    return bool(other) and hmac.compare_digest(one, other)


def _wanted_seat(lobby: Lobby, seat: int | None) -> Seat | None:
    if seat is not None and seat > len(lobby.chairs):
        raise invalid_fields([("/seat", f"The game has {len(lobby.chairs)} seats.")])
    return None if seat is None else Seat(seat)


def _check_bot(lobby: Lobby, player_id: PlayerId, body: dict[str, str]) -> None:
    if lobby.creator != player_id:
        raise Problem("not-creator")
    known = bots.all_names(current_context().lobby_cache.get(lobby.id).game)
    if body["bot"] not in known:
        raise invalid_fields([("/bot", f"Must be one of {', '.join(known)}.")])
    for name in ("entropy", "invitation"):
        if name in body:
            raise invalid_fields([(f"/{name}", "Must be omitted for a bot.")])


@blueprint.patch("/v1/games/<game>/seats/<int:seat>")
@documented(
    "Set a seat's entropy",
    operation="updateSeat",
    scope=GAMES_CREATE,
    text="Each seat can set its contribution to the dice until the game starts. A new value replaces the previous one.",
    takes=EntropyRequest,
    gives={200: replies.SeatAssignment},
    problems=("unknown-game", "unknown-seat", "not-your-seat", "started"),
    auth="required",
    answer="The seat with its new entropy.",
)
def add_entropy(game_id: GameId, seat: int) -> Response:
    access = authorize(game_id, required_caller(), fresh=True)
    chair = _chair(access, seat)
    entropy = read_body(EntropyRequest)["entropy"]
    if chair not in access.lobby.seats_of(access.player_id):
        raise Problem("not-your-seat")
    assert access.player_id is not None
    access.context.store.lobbies.add_entropy(game_id, access.player_id, chair, entropy)
    return json_response({"game": game_id, "seat": seat, "bot": None})


@blueprint.delete("/v1/games/<game>/seats/<int:seat>")
@documented(
    "Leave a seat",
    operation="leaveSeat",
    scope=GAMES_CREATE,
    text="Before the start, you can leave your own seat, and the creator can free any seat, also a reserved one. After the start, "
    "resign instead.",
    gives={204: None},
    problems=("unknown-game", "unknown-seat", "not-your-seat", "not-seated", "started"),
    auth="required",
    answer="The seat is free.",
)
def leave(game_id: GameId, seat: int) -> Response:
    access = authorize(game_id, required_caller(), fresh=True)
    chair = _chair(access, seat)
    if chair not in access.lobby.seats_of(access.player_id) and access.lobby.creator != access.player_id:
        raise Problem("not-your-seat")
    assert access.player_id is not None
    holder = access.lobby.chairs[chair - 1].holder
    access.context.store.lobbies.leave(game_id, access.player_id, chair)
    if holder is not None and not is_bot(holder):
        unsubscribe_game(access.context.store, game_id, PlayerId(holder))
    return no_content()


def _chair(access: GameAccess, seat: int) -> Seat:
    if not 1 <= seat <= len(access.lobby.chairs):
        raise Problem("unknown-seat")
    return Seat(seat)


@blueprint.post("/v1/games/<game>/invitation")
@documented(
    "Create a new invitation",
    operation="renewInvitation",
    scope=GAMES_CREATE,
    text="Only the creator can do this. The previous invitation becomes invalid. The new one is shown only once. "
    "After the start, an invitation exists while a seat is vacant, for the player who takes that seat.",
    takes=EmptyRequest,
    gives={201: replies.Invitation},
    problems=("key-reused", "in-progress", "unknown-game", "not-creator", "started"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The new invitation.",
)
@idempotent
def invite(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller(), fresh=True)
    read_body(EmptyRequest)
    access.require_creator()
    invitation = new_invitation()
    access.context.store.lobbies.new_invitation(game_id, access.lobby.creator, digest_of(invitation))
    return json_response({"game": game_id, "invitation": invitation}, 201)
