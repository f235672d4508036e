"""Routes for the legal moves of a seat; a client can build every legal command from them."""

from __future__ import annotations

import time

import orjson
from flask import Blueprint, Response

from domain.kernel.options import MOST, MOST_BYTES, as_json
from domain.kernel.terms import GameId, Option, Seq
from domain.table import features
from domain.table.feature import Moment
from service.core.accounts.scopes import GAMES_READ
from service.core.http.access.auth import GameAccess, authorize, required_caller
from service.core.http.context.offload import ReadContext
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import (
    head_header,
    json_bytes_response,
    not_modified,
    query_choice,
    revalidation_headers,
)
from service.core.http.schemas import replies
from service.core.pace.clock import clock_of
from service.core.positions.fitness import serialize_options
from service.core.positions.game_config import GameConfig
from service.core.positions.labels import build_labels
from service.core.positions.rows import list_seen

blueprint = Blueprint("options", __name__)

MOST_CACHED = 100_000
"""Maximum bytes of cached options; larger ones are rare."""

CACHED_SECONDS = 10.0
"""Seconds for which options are cached: some depend on the time, and names may change."""


@blueprint.get("/v1/games/<game>/options")
@documented(
    "List my legal moves",
    operation="listOptions",
    scope=GAMES_READ,
    text="Each option is a command template with fixed parameters, and a list of choices for each open "
    "parameter. The open parameters of one option are independent: every combination is legal. If several "
    "open parameters have the same name, that parameter is the list of the values chosen for all of them. "
    "The first `answers` options answer the pending question of the seat. The options after them are standing "
    "orders, which no question asks for. `table` lists commands outside the rules of the game, such as "
    "votes. `only=answers` omits standing orders and `table`. `with=labels` adds English text: names of the "
    "choices (`labels`), the pending question (`question`) and what the seat holds (`holdings`).",
    gives={200: replies.Options, 304: None},
    problems=("unknown-game", "not-started", "not-your-seat", "too-many-options", "too-much-work"),
    parameters=("seat", "only", "labels", "If-None-Match"),
    auth="required",
    answer="Templates of all commands that the seat can send now.",
    headers=("ETag", "Game-Head"),
)
def options(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat = access.own_seat
    asked_alone = query_choice("only", ("answers",)) is not None
    worded = query_choice("with", ("labels",)) is not None
    access.context.require_not_quarantined(game_id)
    rows = access.rows_without_views()
    headers = {**revalidation_headers(seat), **head_header(rows.seq, rows.head)}
    known = not_modified(f'"{rows.seen[seat]}"', headers)
    if known is not None:
        return known
    key = (game_id, rows.head, seat, access.by, asked_alone, worded)
    found = access.context.options.get(key)
    if found is None:
        found = access.compute(
            lambda reads, facts: _options(access, reads, facts, asked_alone=asked_alone, worded=worded)
        )
        if (
            found[0] == rows.seen[seat] and len(found[1]) <= MOST_CACHED
        ):  # otherwise the game has changed in the meantime
            access.context.options.put(key, found, CACHED_SECONDS)
    seq, body = found
    return json_bytes_response(body, headers={**headers, "ETag": f'"{seq}"'})


def _options(
    access: GameAccess, reads: ReadContext, facts: GameConfig, *, asked_alone: bool, worded: bool
) -> tuple[int, bytes]:
    seat = access.own_seat
    position = reads.positions.read_newest(facts)
    assert position.table is not None
    offered: list[Option] = []
    table: list[Option] = []
    if not position.over and position.table.is_played(seat):
        now = max(position.at, int(time.time() * 1000))
        moment = Moment(
            facts.game, position, Seq(position.seq + 1), now, clock_of(facts.pace, facts.started), access.by
        )
        table.extend(features.legal(moment, seat))
        offered.extend((facts.game.rules.replies if asked_alone else facts.game.rules.legal)(position.state, seat))
    unasked = facts.game.rules.unasked
    offered.sort(key=lambda option: option.type in unasked)  # stable: each part keeps the order of the rules
    asked = sum(option.type not in unasked for option in offered)
    table = [] if asked_alone else table
    seq = list_seen(position)[seat]
    listed = serialize_options(offered)
    if listed is None:
        raise Problem("too-many-options", f"The seat has more than {MOST} options, or they exceed {MOST_BYTES} bytes.")
    document = {
        "seq": seq,
        "seat": seat,
        "answers": asked,
        "options": listed,
        "table": [as_json(option) for option in table],
    }
    if worded:
        silent = position.over or not position.table.is_played(seat)
        more = (
            {}
            if silent
            else build_labels(facts.game, position, seat, [*offered, *table], access.narrator.describe_question)
        )
        document |= {"question": None, "holdings": {}, "labels": {}, **more}
    return seq, orjson.dumps(document)
