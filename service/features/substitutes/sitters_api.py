"""Routes for sitters: players who temporarily play a seat for its player."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.accounts.scopes import GAMES_CREATE, GAMES_PLAY, GAMES_READ
from service.core.http.access.auth import authorize, required_caller
from service.core.http.context.app import current_context
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem, invalid_fields, sitter_problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.core.notifications.game_subscriptions import subscribe_game
from service.features.substitutes import schemas as replies
from service.features.substitutes.api import require_part, reseat
from service.features.substitutes.schemas import SitterRequest
from service.store.ports.accounts import Player, SittingConsent
from service.store.ports.lobbies import Lobby, Seating, Sitter
from service.store.upkeep.sitter_assignment import NAMED, allowed, ask, conflicts

blueprint = Blueprint("sitters", __name__)

LONGEST = 366 * 24 * 3600 * 1000
"""Maximum time that a sitter may play, in milliseconds from now."""


@blueprint.post("/v1/games/<game>/seats/<int:seat>/sitter")
@documented(
    "Name a sitter",
    operation="createSitter",
    scope=GAMES_CREATE,
    text="For a limited time, another player sees everything that your seat sees and plays for it. You can still "
    "play yourself. A sitter cannot resign your seat. Each commit records who made it. A new sitter "
    "replaces the previous one. The sitter must first agree to sit in for you. Otherwise the response is "
    "409 `sitter-not-agreed`, and the player receives a request (`GET /v1/me/sitting`). The request shows "
    "your name, but nothing about the game. Name the player again after they agree.",
    takes=SitterRequest,
    gives={200: replies.SitterAssignment},
    problems=(
        "unknown-game",
        "unknown-seat",
        "unknown-player",
        "not-your-seat",
        "not-started",
        "feature-disabled",
        "seated-already",
        "sitter-not-agreed",
        "game-over",
    ),
    auth="required",
    answer="The sitter and the period.",
)
def name_sitter(game_id: GameId, seat: int) -> Response:
    access = authorize(game_id, required_caller(), fresh=True)
    body = read_body(SitterRequest)
    context, holder = access.context, access.player_id
    _require_held(access.lobby, seat, holder)
    now = context.store.schedule.now()
    sitter = Sitter(Seat(seat), PlayerId(body["player"]), body.get("begins", now), body["until"])
    if sitter.until <= max(now, sitter.begins) or sitter.until > now + LONGEST:
        raise invalid_fields([("/until", "Must be after `from`, in the future, and at most one year from now.")])
    if context.store.accounts.player(sitter.player) is None:
        raise Problem("unknown-player", pointer="/player")

    may, seconds = allowed(context.store, PlayerId(holder or ""))
    if not may:
        raise limit_problem(seconds, detail=f"An account can name a sitter {NAMED} times a day. Try again later.")
    if context.are_apart(PlayerId(holder or ""), sitter.player) or not ask(
        context.store, sitter.player, PlayerId(holder or "")
    ):
        raise sitter_problem("/player")

    def named(lobby: Lobby) -> Seating:
        _require_held(lobby, seat, holder)
        if why := conflicts(lobby, sitter):
            raise Problem("seated-already", why)
        return replace(lobby.seating, sitters=(*_others(lobby.seating, seat), sitter))

    context.store.lobbies.offered(game_id, sitter.player)
    reseat(context, game_id, named)
    context.store.lobbies.offered(game_id, sitter.player)
    subscribe_game(context.store, game_id, [sitter.player])
    told = {"game": game_id, "seat": seat, "player": sitter.player, "from": sitter.begins, "until": sitter.until}
    return json_response(told)


@blueprint.delete("/v1/games/<game>/seats/<int:seat>/sitter")
@documented(
    "Remove a sitter",
    operation="deleteSitter",
    scope=GAMES_CREATE,
    text="The player of the seat and the sitter can do this.",
    gives={204: None},
    problems=("unknown-game", "unknown-seat", "not-your-seat", "no-sitter"),
    auth="required",
    answer="The sitter is removed.",
)
def dismiss_sitter(game_id: GameId, seat: int) -> Response:
    access = authorize(game_id, required_caller(), fresh=True)
    caller = access.player_id

    def dismissed(lobby: Lobby) -> Seating:
        if not 1 <= seat <= len(lobby.chairs):
            raise Problem("unknown-seat")
        sitters = [each.player for each in lobby.seating.sitters if each.seat == seat]
        if caller not in (lobby.chairs[seat - 1].holder, *sitters):
            raise Problem("not-your-seat")
        if not sitters:
            raise Problem("no-sitter")
        return replace(lobby.seating, sitters=_others(lobby.seating, seat))

    reseat(access.context, game_id, dismissed)
    return no_content()


@blueprint.get("/v1/me/sitting")
@documented(
    "List my sitter agreements",
    operation="listSitterAgreements",
    scope=GAMES_READ,
    text="Lists players who ask you to sit in for them (`agreed_at` is null), and players you have agreed to sit "
    "in for.",
    gives={200: replies.SitterAgreements},
    auth="required",
    answer="The requests and agreements, oldest first.",
)
def sitting() -> Response:
    accounts = current_context().store.accounts
    found = accounts.sitting_consents(required_caller().player)
    names = accounts.players([each.holder for each in found])
    told = [_consent(each, names[each.holder]) for each in found if each.holder in names]
    return json_response({"agreements": told})


@blueprint.put("/v1/me/sitting/<player>")
@documented(
    "Agree to be a sitter",
    operation="agreeToSit",
    scope=GAMES_PLAY,
    text="The player can now name you as their sitter, in any of their games and for their vacations, until you "
    "withdraw the agreement. You can agree without a request too.",
    takes=EmptyRequest,
    gives={200: replies.SitterAgreement},
    problems=("unknown-player", "not-admitted"),
    auth="required",
    answer="Your agreement.",
)
def agree(player: PlayerId) -> Response:
    credential, store = required_caller(), current_context().store
    read_body(EmptyRequest)
    holder = store.accounts.player(player)
    if holder is None or holder.id == credential.player:
        raise Problem("unknown-player")
    if current_context().are_apart(credential.player, holder.id):
        raise Problem("not-admitted")
    store.accounts.agree_to_sit(credential.player, holder.id, store.schedule.now())
    [made] = [each for each in store.accounts.sitting_consents(credential.player) if each.holder == holder.id]
    return json_response(_consent(made, holder))


@blueprint.delete("/v1/me/sitting/<player>")
@documented(
    "Decline to be a sitter",
    operation="declineToSit",
    scope=GAMES_PLAY,
    text="Removes a request, or withdraws your agreement. If you are already a sitter in a game, you remain one "
    "there. To stop, call `DELETE /v1/games/{game}/seats/{seat}/sitter`.",
    gives={204: None},
    problems=("unknown-sitter-request",),
    auth="required",
    answer="The player cannot name you as their sitter.",
)
def decline(player: PlayerId) -> Response:
    if not current_context().store.accounts.refuse_to_sit(required_caller().player, player):
        raise Problem("unknown-sitter-request")
    return no_content()


def _consent(each: SittingConsent, holder: Player) -> dict[str, Any]:
    return {
        "player": {"id": holder.id, "name": holder.name},
        "requested_at": each.asked_at,
        "agreed_at": each.agreed_at,
    }


def _require_held(lobby: Lobby, seat: int, holder: PlayerId | None) -> None:
    if not 1 <= seat <= len(lobby.chairs):
        raise Problem("unknown-seat")
    if lobby.chairs[seat - 1].holder != holder:
        raise Problem("not-your-seat")
    if lobby.status != "running":
        raise Problem("not-started" if lobby.status == "lobby" else "game-over")
    require_part(lobby)


def _others(seating: Seating, seat: int) -> tuple[Sitter, ...]:
    return tuple(each for each in seating.sitters if each.seat != seat)
