"""Routes for moderation: muted seats, and reports to the operator."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import GameId, Seat
from service.core.accounts.scopes import ACCOUNT_READ, CHAT_WRITE, GAMES_READ
from service.core.history import chat
from service.core.http.access.auth import GameAccess, authorize, required_caller
from service.core.http.access.reading import find_message
from service.core.http.context.app import current_context
from service.core.http.limits.rates import count_hourly
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.features.moderation import reports
from service.features.moderation.schemas import MuteRequest, Mutes, Report, ReportRequest, Reports

blueprint = Blueprint("moderation", __name__)


@blueprint.get("/v1/games/<game>/mutes")
@documented(
    "List muted seats",
    operation="listMutes",
    scope=GAMES_READ,
    gives={200: Mutes},
    problems=("unknown-game", "not-your-seat"),
    parameters=("seat",),
    auth="required",
    answer="The seats that you have muted.",
)
def mutes(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    return _mutes(access)


def _mutes(access: GameAccess, status: int = 200) -> Response:
    seat = access.own_seat
    unheard = chat.list_muted_seats(access.context.store, access.lobby.id, seat)
    return json_response({"game": access.lobby.id, "seat": seat, "muted": sorted(unheard)}, status)


def _own_ears(access: GameAccess) -> Seat:
    """The caller's seat, if they are its player: a sitter reads what the player reads, and cannot change it."""
    seat = access.own_seat
    if access.by != "player":
        raise Problem("not-your-seat")
    return seat


@blueprint.post("/v1/games/<game>/mutes")
@documented(
    "Mute a seat",
    operation="createMute",
    scope=CHAT_WRITE,
    text="You no longer see the messages of this seat in talk, history and streams, only that it sent some. The "
    "muted player is not notified.",
    takes=MuteRequest,
    gives={201: Mutes},
    problems=("unknown-game", "not-started", "not-your-seat", "unknown-seat"),
    parameters=("seat",),
    auth="required",
    answer="The seats that you have muted.",
)
def mute(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    access.require_started()  # until then seats may change, and there is no chat
    own, other = _own_ears(access), Seat(read_body(MuteRequest)["seat"])
    if other > len(access.lobby.chairs):
        raise Problem("unknown-seat")
    if other == own:
        raise invalid_fields([("/seat", "Must be the seat of another player.")])
    assert access.player_id is not None
    access.context.store.notes.put(game_id, chat.MUTES, f"{own}:{other}", access.player_id.encode())
    return _mutes(access, 201)


@blueprint.delete("/v1/games/<game>/mutes/<int:other>")
@documented(
    "Unmute a seat",
    operation="deleteMute",
    scope=CHAT_WRITE,
    text="You can read all messages of the seat again.",
    gives={204: None},
    problems=("unknown-game", "not-your-seat", "unknown-seat"),
    parameters=("seat",),
    auth="required",
    answer="The seat is unmuted.",
)
def unmute(game_id: GameId, other: int) -> Response:
    access = authorize(game_id, required_caller())
    if not 0 < other <= len(access.lobby.chairs):
        raise Problem("unknown-seat")
    access.context.store.notes.erase(game_id, chat.MUTES, [f"{_own_ears(access)}:{other}"])
    return no_content()


@blueprint.post("/v1/games/<game>/reports")
@documented(
    "Report a chat message",
    operation="createReport",
    scope=CHAT_WRITE,
    text="Sends a report to the operator of the service, who can read the message until it is erased. If you "
    "report it again, your new text replaces the old one, and an answered or closed report is open again.",
    takes=ReportRequest,
    gives={201: Report},
    problems=("unknown-game", "unknown-message", "too-many-reports", "too-much-work"),
    auth="required",
    answer="The report.",
)
def report(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    body = read_body(ReportRequest)
    if wrong := chat.find_fault(body["reason"]):
        raise invalid_fields([("/reason", wrong)])
    context, player_id = access.context, access.player_id
    assert player_id is not None
    count_hourly(context.store.accounts, f"report:{player_id}", context.settings.rate_reports, "too-many-reports")
    digest = find_message(access, body["seq"])
    if digest is None:
        raise Problem("unknown-message")
    made = reports.MessageReport(game_id, body["seq"], digest, player_id, body["reason"], context.store.schedule.now())
    return json_response(_report(*reports.store_report(context.store, made)), 201)


@blueprint.get("/v1/me/reports")
@documented(
    "List my reports",
    operation="listReports",
    scope=ACCOUNT_READ,
    text="Shows what the operator has answered. Closed reports are kept for 90 days.",
    gives={200: Reports},
    auth="required",
    answer="Your reports, the oldest first.",
)
def show_reports() -> Response:
    credential = required_caller()
    found = reports.list_reports_of(current_context().store, credential.player)
    return json_response({"reports": [_report(id_, each) for id_, each in found.items()]})


def _report(id_: str, each: reports.MessageReport) -> dict[str, Any]:
    return {
        "id": id_,
        "game": each.game,
        "seq": each.seq,
        "reason": each.why,
        "created_at": each.at,
        "state": each.state,
        "answer": each.answer or None,
        "changed_at": each.changed_at or None,
    }
