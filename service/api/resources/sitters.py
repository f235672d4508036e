"""Sitting in: who plays a seat in its player's place for a time."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response

from domain.terms import GameId, PlayerId, Seat
from service.api.access.auth import PLAY, authorize, required_caller
from service.api.http.answers import answer, no_content
from service.api.http.problems import Problem, invalid
from service.api.limits.rates import too_many
from service.api.reference.routes import documented
from service.api.resources.substitutes import require_part, reseat
from service.api.schemas import replies
from service.api.schemas.requests import read_body
from service.api.schemas.seating import SitterRequest
from service.post.listening import listen_in
from service.store.ports.lobbies import Lobby, Seating, Sitter
from service.store.upkeep.sitting import NAMED, allowed, conflicts

blueprint = Blueprint("sitters", __name__)

LONGEST = 366 * 24 * 3600 * 1000
"""Milliseconds from now until which somebody may sit in."""


@blueprint.post("/v1/games/<game>/seats/<int:seat>/sitter")
@documented(
    "Let somebody sit in for you",
    operation="setSitter",
    text="For a time another player sees all that your seat sees and plays for it; you may play as ever. They do not resign it. "
    "Each commit says by whom it was. Naming somebody else takes the place of whom you had named.",
    takes=SitterRequest,
    gives={200: replies.Sitting},
    problems=(
        "unknown-game",
        "unknown-seat",
        "unknown-player",
        "not-your-seat",
        "not-started",
        "not-here",
        "seated-already",
        "game-over",
    ),
    auth="required",
    answer="Who sits in, and when.",
)
def name_sitter(game_id: GameId, seat: int) -> Response:
    access = authorize(game_id, required_caller(PLAY), fresh=True)
    body = read_body(SitterRequest)
    context, holder = access.context, access.player_id
    _require_held(access.lobby, seat, holder)
    now = context.store.log.now()
    sitter = Sitter(Seat(seat), PlayerId(body["player"]), body.get("begins", now), body["until"])
    if sitter.until <= max(now, sitter.begins) or sitter.until > now + LONGEST:
        raise invalid([("/until", "After `from`, not over yet, and a year from now at most.")])
    if context.store.accounts.player(sitter.player) is None:
        raise Problem("unknown-player", pointer="/player")

    may, seconds = allowed(context.store, PlayerId(holder or ""))
    if not may:
        raise too_many(seconds, detail=f"An account may name who sits in {NAMED} times in a day.")

    def named(lobby: Lobby) -> Seating:
        _require_held(lobby, seat, holder)
        if why := conflicts(lobby, sitter):
            raise Problem("seated-already", why)
        return replace(lobby.seating, sitters=(*_others(lobby.seating, seat), sitter))

    context.store.lobbies.offered(game_id, sitter.player)
    reseat(context, game_id, named)
    context.store.lobbies.offered(game_id, sitter.player)
    listen_in(context.store, game_id, [sitter.player])
    told = {"game": game_id, "seat": seat, "player": sitter.player, "from": sitter.begins, "until": sitter.until}
    return answer(told)


@blueprint.delete("/v1/games/<game>/seats/<int:seat>/sitter")
@documented(
    "Have nobody sit in any more",
    operation="deleteSitter",
    text="By the seat's player, or by who sits in.",
    gives={204: None},
    problems=("unknown-game", "unknown-seat", "not-your-seat", "no-sitter"),
    auth="required",
    answer="Nobody sits in.",
)
def dismiss_sitter(game_id: GameId, seat: int) -> Response:
    access = authorize(game_id, required_caller(PLAY), fresh=True)
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
