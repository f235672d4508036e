"""Routes for seats that change hands after the start: take a vacant seat."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response

from domain.kernel.errors import FeatureDisabled, GameOver, NotNow
from domain.kernel.terms import SYSTEM, GameId, PlayerId, Seat
from domain.table import seats as part
from service.core.accounts.scopes import GAMES_CREATE
from service.core.history.lines import decode_commit
from service.core.http.access.auth import is_member, required_caller
from service.core.http.access.ids import command_id
from service.core.http.access.quotas import limit_guesses, player_and_address, require_reliable
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.lobbies import SeatedLobby
from service.core.http.context.tokens import digest_of
from service.core.http.problems import CommandRefused, Problem, quarantine_problem
from service.core.http.reference.routes import documented
from service.core.http.request_ids import request_id
from service.core.http.responses import idempotency_key, json_response, preference_applied, preferred_wait
from service.core.http.schemas.requests import read_body
from service.core.notifications.game_subscriptions import subscribe_game
from service.features.substitutes import schemas as replies
from service.features.substitutes.follower import Seek, is_applied, seek
from service.features.substitutes.schemas import TakeVacantSeatRequest
from service.store.codec import canonical
from service.store.ports.commits import Stored
from service.store.ports.lobbies import Lobby, Seating
from service.store.ports.news import seats_changed

blueprint = Blueprint("substitutes", __name__)

_SEEKING = ("take_seat", "propose_substitute")
"""The commands by which a player gets a seat."""

WITHIN = 10
"""Seconds that taking a seat waits for its commit by default."""

_REFUSALS = {
    part.SeatNotVacant.code: "not-vacant",
    part.SeatedAlready.code: "seated-already",
    NotNow.code: "vote-open",
    FeatureDisabled.code: "feature-disabled",
    GameOver.code: "game-over",
}
"""The problems of requests that the table refuses."""

MOST_WISHES = 20
"""Maximum number of requests for one seat that wait for the creator."""


@blueprint.post("/v1/games/<game>/seats/<int:seat>/take")
@documented(
    "Take a vacant seat",
    operation="takeVacantSeat",
    scope=GAMES_CREATE,
    text="Takes a vacant seat of a running game. From then on you see everything the seat has seen, and the "
    "previous player sees nothing of it. A player who lost the seat by missing turns, or resigned, can "
    "return until another player takes it. Games that are not public need an invitation.\n\nThe setting "
    "`substitutes` in the `table` of the game can require consent; the response is then 202. If the creator "
    "decides, your request appears in the game, and the creator gives you the seat with `player`. If the "
    "players decide, they vote, and the deciding vote gives you the seat. Send a GET request to read the "
    "status of your request.",
    takes=TakeVacantSeatRequest,
    gives={200: replies.SeatRequestStatus, 202: replies.SeatRequestStatus},
    problems=(
        *(
            "unknown-game",
            "unknown-seat",
            "unknown-seat-request",
            "wrong-invitation",
            "substitutes-closed",
            "seat-request-rejected",
            "not-creator",
            "not-admitted",
            "too-unreliable",
        ),
        *(
            "not-started",
            "feature-disabled",
            "not-vacant",
            "vote-open",
            "seated-already",
            "game-over",
            "too-many-seat-requests",
            "key-reused",
            "too-many-guesses",
        ),
    ),
    parameters=("Idempotency-Key", "Prefer"),
    auth="required",
    answer="The seat and its holder.",
    headers=("Preference-Applied",),
)
def take(game_id: GameId, seat: int) -> Response:
    credential = required_caller()
    context = current_context()
    body = read_body(TakeVacantSeatRequest)
    seated = context.lobby_cache.get(game_id, fresh=True)
    member = is_member(seated.lobby, credential.player, context.store.schedule.now)
    hidden = seated.lobby.visibility == "private" and not member
    if "invitation" in body:
        with limit_guesses(
            context, "invitation", context.settings.rate_wrong_invitations, *player_and_address(credential.player)
        ):
            invited = _is_invited(seated.lobby, body["invitation"], hidden=hidden)
    else:
        invited = False
    if hidden and not invited:
        raise Problem("unknown-game")
    chair = _chair_on_offer(seated.lobby, seat)
    taker = _taker(seated.lobby, chair, credential.player, body.get("player"))
    if taker != seated.lobby.chairs[chair - 1].holder and context.are_apart(taker, seated.lobby.creator):
        raise Problem("not-admitted")
    match _whom_to_ask(context, seated.lobby, chair, taker, credential.player, invited=invited):
        case part.CREATOR:
            _wish(context, game_id, chair, taker)
            return told(game_id, seat, "asked", 202)
        case part.VOTE:
            return _voted_on(context, seated, chair, taker)
    return _taken(context, seated, chair, taker)


def _is_invited(lobby: Lobby, invitation: str, *, hidden: bool) -> bool:
    """Whether the invitation is the game's. Raises the problem of a wrong one."""
    digest = digest_of(invitation)
    if lobby.invitation_digest and hmac.compare_digest(digest, lobby.invitation_digest):
        return True
    raise Problem("unknown-game" if hidden else "wrong-invitation")


def _chair_on_offer(lobby: Lobby, seat: int) -> Seat:
    if not 1 <= seat <= len(lobby.chairs):
        raise Problem("unknown-seat")
    if lobby.status != "running":
        raise Problem("not-started" if lobby.status == "lobby" else "game-over")
    require_part(lobby)
    if seat not in lobby.seating.vacant:
        raise Problem("not-vacant")
    return Seat(seat)


def _taker(lobby: Lobby, chair: Seat, player_id: PlayerId, named: str | None) -> PlayerId:
    """The player who gets the seat. Raises the problems of an ineligible player, and of one already seated there."""
    taker = player_id
    if named is not None:
        if lobby.creator != player_id:
            raise Problem("not-creator")
        taker = PlayerId(named)
        if (chair, taker) not in lobby.seating.wishes:
            raise Problem("unknown-seat-request")
    others = [each.holder for number, each in enumerate(lobby.chairs, 1) if number != chair]
    others += [each.player for each in lobby.seating.sitters if each.seat != chair]
    if taker in others and lobby.sandbox is None:
        raise Problem("seated-already")
    return taker


def _whom_to_ask(
    context: AppContext, lobby: Lobby, chair: Seat, taker: PlayerId, player_id: PlayerId, *, invited: bool
) -> str:
    """Who must agree first: the `CREATOR`, or by a `VOTE` the players. Raises the problems of an ineligible player."""
    if lobby.chairs[chair - 1].holder == taker or taker != player_id:
        return ""  # a returning player, or one who was given the seat
    policy = lobby.table.get(part.SUBSTITUTES, part.OPEN)
    if policy == part.CLOSED:
        raise Problem("substitutes-closed")
    if taker == lobby.creator and policy != part.VOTE:
        return ""
    require_reliable(context, lobby, taker)
    if lobby.visibility != "public" and not invited and taker != lobby.creator:
        raise Problem("wrong-invitation")
    return policy if policy in (part.CREATOR, part.VOTE) else ""


def _wish(context: AppContext, game_id: GameId, chair: Seat, taker: PlayerId) -> None:
    def wished(lobby: Lobby) -> Seating:
        _chair_on_offer(lobby, chair)
        wishes = lobby.seating.wishes
        if (chair, taker) in wishes:
            return lobby.seating
        if sum(of == chair for of, _ in wishes) >= MOST_WISHES:
            raise Problem("too-many-seat-requests")
        return replace(lobby.seating, wishes=(*wishes, (chair, taker)))

    reseat(context, game_id, wished)


def _voted_on(context: AppContext, seated: SeatedLobby, chair: Seat, taker: PlayerId) -> Response:
    """Make the players vote on it. Another player's open vote is a problem."""
    seating = seated.lobby.seating
    if (chair, taker) in seating.refused:
        raise Problem("seat-request-rejected")
    if (chair, taker) in seating.wishes:
        return told(seated.lobby.id, chair, "asked", 202)
    if seating.wishes:
        raise Problem(
            "vote-open",
            "The players are voting on another player's request for a seat. Only one vote can be open at a time.",
        )
    if sum(of == chair for of, _ in seating.refused) >= MOST_WISHES:
        raise Problem("too-many-seat-requests", "The players have rejected too many requests for this seat.")
    return _taken(context, seated, chair, taker, "propose_substitute")


def _taken(
    context: AppContext, seated: SeatedLobby, chair: Seat, taker: PlayerId, type_: str = "take_seat"
) -> Response:
    """Make a worker give the seat to the taker, or ask the players about it, with a commit."""
    game_id, store = seated.lobby.id, context.store
    # Before, so that a crash loses nothing. If it fails, the game is in their list but not shown there.
    store.lobbies.offered(game_id, taker)
    subscribe_game(store, game_id, [taker])
    came = submitted(context, game_id, taker, {"type": type_, "seat": chair})
    headers = preference_applied(preferred_wait())
    if not isinstance(came, Stored):
        return told(game_id, chair, "pending", 202, headers)
    commit = decode_commit(seated.game, came)
    if commit.refusal is not None:
        code = _REFUSALS.get(commit.refusal.code)
        raise CommandRefused(commit.refusal) if code is None else Problem(code)
    # After, because a repair in between would remove it again.
    store.lobbies.offered(game_id, taker)
    subscribe_game(store, game_id, [taker])
    if not _wait_for_seat(context, game_id, came.seq):
        return told(game_id, chair, "pending", 202, headers)
    context.lobby_cache.forget(game_id)
    if part.SeatTaken(chair) not in commit.events:
        return told(game_id, chair, "asked", 202, headers)
    return told(game_id, chair, "taken", 200, headers)


def _wait_for_seat(context: AppContext, game_id: GameId, seq: int) -> bool:
    """Wait until the change to a seat, which follows its commit within milliseconds, is made; whether it is."""
    until = time.monotonic() + WITHIN
    with closing(context.store.news.subscribe(game_id)) as waiter:  # the follower publishes it
        while not is_applied(context.store, game_id, seq):
            left = until - time.monotonic()
            if left <= 0:
                return False
            waiter.wait(min(left, 1.0))
    return True


def submitted(context: AppContext, game_id: GameId, player_id: PlayerId, command: Mapping[str, Any]) -> Any:
    """Submit a command of SYSTEM for this player, and wait: its `Stored` commit, or the status by then."""
    seconds, store = preferred_wait(), context.store
    id_ = command_id(game_id, player_id, idempotency_key())
    beside = {"asked_at": 0, "expected": None, "credential": None, "request": request_id()}
    digest = hashlib.sha256(canonical([SYSTEM, command, player_id])).hexdigest()
    if command["type"] in _SEEKING and seek(
        store, context.lobby_cache.get(game_id).lobby, Seek(id_, command["seat"], player_id)
    ):
        command = {**command, "seated": True}
    waiter = store.news.subscribe(game_id)
    try:
        receipt = store.log.submit(game_id, {"id": id_, "seat": SYSTEM, "command": command, **beside}, digest)
        if receipt.wake:
            context.wake(game_id)
        match receipt.status:
            case "accepted" | "known":
                pass
            case "conflict":
                raise Problem("key-reused", parameter="Idempotency-Key")
            case "quarantined" | "needs-release":
                raise quarantine_problem(receipt.status)
            case _:
                raise Problem("game-over" if receipt.status == "over" else "unknown-game")
        return _came(context, game_id, id_, waiter.wait, WITHIN if seconds is None else seconds)
    finally:
        waiter.close()


def _came(context: AppContext, game_id: GameId, id_: str, wait: Callable[[float], Any], seconds: float) -> Any:
    until = time.monotonic() + seconds
    while True:
        came = context.store.log.outcome(game_id, id_)
        left = until - time.monotonic()
        if isinstance(came, Stored) or left <= 0:
            return came
        if came == "over":
            raise Problem("game-over")
        wait(min(left, 1.0))


def told(game_id: GameId, seat: int, status: str, code: int, headers: dict[str, str] | None = None) -> Response:
    """The status of taking a seat."""
    return json_response({"game": game_id, "seat": seat, "status": status}, code, headers or {})


def reseat(context: AppContext, game_id: GameId, change: Callable[[Lobby], Seating]) -> None:
    """Change the game's seats, based on their current state."""
    while True:
        lobby = context.lobby_cache.get(game_id, fresh=True).lobby
        after = change(lobby)
        if after is lobby.seating:
            return
        if context.store.lobbies.reseat(lobby, after):
            # This process applies it at once; the others are notified.
            context.lobby_cache.handle_message(seats_changed(game_id, lobby.seating.revision + 1))
            return


def require_part(lobby: Lobby) -> None:
    """Raises the problem of a game from before seats could change hands."""
    if not part.SEATS.is_on(lobby.table):
        raise Problem("feature-disabled")
