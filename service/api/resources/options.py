"""What a seat may do now: from these alone a client builds every legal command and nothing else."""

from __future__ import annotations

import orjson
from flask import Blueprint, Response

from domain.options import MOST, MOST_BYTES, as_json
from domain.terms import GameId, Option, Seat
from service.api.access.auth import enter, somebody
from service.api.context.offload import Desk
from service.api.http.answers import current, head_header, not_modified, raw
from service.api.http.problems import Problem
from service.api.reference.routes import told
from service.api.schemas import replies
from service.projections.fitness import answer_of
from service.projections.positions.facts import Facts
from service.projections.positions.rows import shown

blueprint = Blueprint("options", __name__)


@blueprint.get("/v1/games/<game>/options")
@told(
    "What I may do now",
    text="Templates of commands: fixed parameters, and for each open one its choices. The open parameters of one option "
    "are independent: every combination is legal. Where several have the same name, that parameter is the list of what is "
    "chosen of all of them together. `table` lists what the table offers besides.",
    gives={200: replies.Options, 304: None},
    problems=("unknown-game", "not-started", "not-your-seat", "too-many-options", "too-much-work"),
    parameters=("seat", "If-None-Match"),
    auth="required",
)
def options(game_id: GameId) -> Response:
    guest = enter(game_id, somebody())
    seat = guest.own_seat
    guest.house.must_go_on(game_id)
    rows = guest.rows()
    headers = {**current(seat), **head_header(rows.seq, rows.head)}
    known = not_modified(f'"{rows.seen[seat]}"', headers)
    if known is not None:
        return known
    seq, body = guest.compute(lambda desk, facts: _open(desk, facts, seat))
    return raw(body, headers={**headers, "ETag": f'"{seq}"'})


def _open(desk: Desk, facts: Facts, seat: Seat) -> tuple[int, bytes]:
    position = desk.positions.newest(facts)
    assert position.table is not None
    offered: list[Option] = []
    table: list[Option] = []
    if not position.over and position.table.is_played(seat):
        table.append(Option("resign"))
        offered.extend(facts.rules.legal(position.state, seat))
    seq = shown(position)[seat]
    listed = answer_of(offered)
    if listed is None:
        raise Problem("too-many-options", f"There are more than {MOST}, or than {MOST_BYTES} bytes of them.")
    document = {
        "seq": seq,
        "seat": seat,
        "options": listed,
        "table": [as_json(option) for option in table],
    }
    return seq, orjson.dumps(document)
