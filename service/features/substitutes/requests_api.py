"""Routes to follow and withdraw a request for a vacant seat."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response

from domain.kernel.terms import GameId, PlayerId, Seat
from domain.table.votes.voting import VOTES
from service.core.accounts.scopes import GAMES_CREATE, GAMES_READ
from service.core.http.access.auth import is_member, required_caller
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.offload import ReadContext
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import no_content
from service.core.positions.game_config import GameConfig
from service.features.substitutes import schemas as replies
from service.features.substitutes.api import reseat, submitted, told
from service.store.ports.lobbies import Lobby, Seating, is_voted_on

blueprint = Blueprint("seat_requests", __name__)


@blueprint.get("/v1/games/<game>/seats/<int:seat>/take")
@documented(
    "Get my seat request",
    operation="getSeatRequest",
    scope=GAMES_READ,
    text="Only you can read it. While the players vote, the status is `asked`. If you can see the game, its view "
    "shows the votes.",
    gives={200: replies.SeatRequestStatus},
    problems=("unknown-game", "unknown-seat"),
    auth="required",
    answer="The status of the request.",
)
def show(game_id: GameId, seat: int) -> Response:
    player_id = required_caller().player
    lobby = _known(current_context(), game_id, seat, player_id)
    return told(game_id, seat, _status(lobby, Seat(seat), player_id), 200)


@blueprint.delete("/v1/games/<game>/seats/<int:seat>/take")
@documented(
    "Withdraw my seat request",
    operation="deleteSeatRequest",
    scope=GAMES_CREATE,
    text="The seat can no longer be given to you. If the players are voting on your request, the vote is canceled.",
    gives={204: None},
    problems=("unknown-game", "unknown-seat", "unknown-seat-request", "game-over", "key-reused", "too-much-work"),
    parameters=("Idempotency-Key", "Prefer"),
    auth="required",
    answer="The request is withdrawn.",
)
def withdraw(game_id: GameId, seat: int) -> Response:
    player_id = required_caller().player
    context = current_context()
    lobby = _known(context, game_id, seat, player_id)
    wish = (Seat(seat), player_id)
    if wish not in lobby.seating.wishes:
        raise Problem("unknown-seat-request")
    if is_voted_on(lobby):
        vote = _vote_on(context, game_id, player_id, Seat(seat))
        # The request still exists, so it was theirs. A newer one would have another number.
        if wish in _known(context, game_id, seat, player_id).seating.wishes:
            submitted(context, game_id, player_id, {"type": "withdraw_substitute", "seat": seat, "vote": vote})
        return no_content()

    def without(now: Lobby) -> Seating:
        if wish not in now.seating.wishes:
            return now.seating
        return replace(now.seating, wishes=tuple(each for each in now.seating.wishes if each != wish))

    reseat(context, game_id, without)
    return no_content()


def _known(context: AppContext, game_id: GameId, seat: int, player_id: PlayerId) -> Lobby:
    """The current game. Raises the problem of one that is not visible to them, and of an unknown seat."""
    lobby = context.lobby_cache.get(game_id, fresh=True).lobby
    asks = any(player == player_id for _, player in (*lobby.seating.wishes, *lobby.seating.refused))
    if lobby.visibility == "private" and not asks and not is_member(lobby, player_id, context.store.schedule.now):
        raise Problem("unknown-game")
    if not 1 <= seat <= len(lobby.chairs):
        raise Problem("unknown-seat")
    return lobby


def _status(lobby: Lobby, seat: Seat, player_id: PlayerId) -> str:
    if (seat, player_id) in lobby.seating.wishes:
        return "asked" if lobby.status == "running" else "none"
    if (seat, player_id) in lobby.seating.refused:
        return "refused"
    holds = lobby.chairs[seat - 1].holder == player_id and seat not in lobby.seating.vacant
    return "taken" if holds else "none"


def _vote_on(context: AppContext, game_id: GameId, player_id: PlayerId, seat: Seat) -> int:
    """The commit with which the vote on the request for the seat began; 0 if none is open."""

    def found(reads: ReadContext, facts: GameConfig) -> int:
        seated = reads.positions.read_newest(facts).table
        votes = VOTES.memory_at(seated)
        ballot = None if votes is None else votes.ballot
        return 0 if ballot is None or ballot.vacant != seat else int(ballot.seq)

    return context.compute(game_id, found, player_id)
