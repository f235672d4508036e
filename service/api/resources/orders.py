"""The standing orders of a seat, and what they would have answered to what it was asked last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from flask import Blueprint, Response

from domain.terms import GameId, Seat
from service.api.access.auth import authorize, required_caller
from service.api.context.offload import ReadContext
from service.api.http.answers import answer_bytes, head_header, not_modified, revalidated
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.projections.history.narration import Narrator
from service.projections.positions.facts import Facts
from service.projections.positions.rehearsal import Rehearsed, rehearsed
from service.projections.positions.rows import question_told, shown

blueprint = Blueprint("orders", __name__)


@blueprint.get("/v1/games/<game>/orders")
@documented(
    "My standing orders",
    operation="listOrders",
    text="The orders of the seat that stand, each with a sentence, and under `questions` the last five questions it was asked for "
    "which something may be ordered, the newest first: what was `answered`, by whom, and how the orders as they are now "
    "would have answered (`ordered`, which is not there where they leave it to you). Nobody but the seat sees any of it. Orders are given by "
    "commands (the options after the first `asked`); a game without standing orders has none here.",
    gives={200: replies.StandingOrders, 304: None},
    problems=("unknown-game", "not-started", "not-your-seat", "too-much-work"),
    parameters=("seat", "If-None-Match"),
    auth="required",
    answer="The orders, and what they come to.",
    headers=("ETag", "Game-Head"),
)
def orders(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat = access.own_seat
    access.context.require_not_aside(game_id)
    rows = access.standing()
    headers = {**revalidated(seat), **head_header(rows.seq, rows.head)}
    known = not_modified(f'"{rows.seen[seat]}"', headers)
    if known is not None:
        return known
    narrator = access.narrator
    seq, body = access.compute(lambda reads, facts: _orders(reads, facts, seat, narrator))
    return answer_bytes(body, headers={**headers, "ETag": f'"{seq}"'})


def _orders(reads: ReadContext, facts: Facts, seat: Seat, narrator: Narrator) -> tuple[int, bytes]:
    position = reads.positions.newest(facts)
    assert position.table is not None
    played = position.table.is_played(seat)
    lines = facts.rules.orders(position.state, seat) if played else ()
    questions = rehearsed(reads.positions, reads.store.log, facts, seat, position) if played else []
    seq = shown(position)[seat]
    document = {
        "seq": seq,
        "seat": seat,
        "orders": [{**line, "text": narrator.tell(line)} for line in lines],
        "questions": [_told(each, narrator) for each in questions],
    }
    return seq, orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)


def _told(each: Rehearsed, narrator: Narrator) -> Mapping[str, Any]:
    question = question_told(each.asked)
    told = {"answered": each.answered, "by": each.by or None, "ordered": each.ordered}
    there = {name: value for name, value in told.items() if value is not None}
    return {**question, "text": narrator.ask(question), "seq": each.seq, **there}
