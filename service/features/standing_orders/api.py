"""Routes for the standing orders of a seat, with their predicted effect on recent questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from flask import Blueprint, Response

from domain.kernel.terms import GameId, Seat
from service.core.accounts.scopes import GAMES_READ
from service.core.history.narration import Narrator
from service.core.http.access.auth import authorize, required_caller
from service.core.http.context.offload import ReadContext
from service.core.http.reference.routes import documented
from service.core.http.responses import head_header, json_bytes_response, not_modified, revalidation_headers
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import build_question, list_seen
from service.features.standing_orders.preview import OrderPreview, preview_orders
from service.features.standing_orders.schemas import StandingOrders

blueprint = Blueprint("orders", __name__)


@blueprint.get("/v1/games/<game>/orders")
@documented(
    "Get my standing orders",
    operation="getStandingOrders",
    scope=GAMES_READ,
    text="Returns the standing orders of the seat, each with a sentence. `questions` has the last five questions "
    "to the seat that an order can answer, newest first. Each shows what was `answered`, by whom, and the "
    "answer of the current orders (`ordered`, omitted if they leave it to you). Only the seat can read "
    "this. Give orders with commands: they are the options after the first `answers`. In a game without "
    "standing orders, the lists are empty.",
    gives={200: StandingOrders, 304: None},
    problems=("unknown-game", "not-started", "not-your-seat", "too-much-work"),
    parameters=("seat", "If-None-Match"),
    auth="required",
    answer="The orders, and how they would have answered recent questions.",
    headers=("ETag", "Game-Head"),
)
def orders(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat = access.own_seat
    access.context.require_not_quarantined(game_id)
    rows = access.rows_without_views()
    headers = {**revalidation_headers(seat), **head_header(rows.seq, rows.head)}
    known = not_modified(f'"{rows.seen[seat]}"', headers)
    if known is not None:
        return known
    narrator = access.narrator
    seq, body = access.compute(lambda reads, facts: _orders(reads, facts, seat, narrator))
    return json_bytes_response(body, headers={**headers, "ETag": f'"{seq}"'})


def _orders(reads: ReadContext, facts: GameConfig, seat: Seat, narrator: Narrator) -> tuple[int, bytes]:
    position = reads.positions.read_newest(facts)
    assert position.table is not None
    played = position.table.is_played(seat)
    lines = facts.game.knowledge.orders(position.state, seat) if played else ()
    questions = preview_orders(reads.positions, reads.store.log, facts, seat, position) if played else []
    seq = list_seen(position)[seat]
    document = {
        "seq": seq,
        "seat": seat,
        "orders": [{**line, "text": narrator.narrate(line)} for line in lines],
        "questions": [_told(each, narrator) for each in questions],
    }
    return seq, orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)


def _told(each: OrderPreview, narrator: Narrator) -> Mapping[str, Any]:
    question = build_question(each.question)
    told = {"answered": each.answered, "by": each.by or None, "ordered": each.by_orders}
    there = {name: value for name, value in told.items() if value is not None}
    return {**question, "text": narrator.describe_question(question), "seq": each.seq, **there}
