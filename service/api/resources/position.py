"""The whole state of a game that has no secrets left, or never had any worth keeping; and games forked from it."""

from __future__ import annotations

import secrets
from typing import Any

import orjson
from flask import Blueprint, Response, request

from domain.terms import GameId
from service.api.access.auth import PLAY, Guest, anyone, enter, is_member, somebody
from service.api.access.ids import new_id, new_invitation
from service.api.access.quotas import take_table
from service.api.context.offload import Desk
from service.api.context.tokens import digest_of
from service.api.http.answers import current, head_header, immutable, raw
from service.api.http.problems import Problem
from service.api.reference.routes import told
from service.api.resources.games import made
from service.api.resources.view import instant, location, standing
from service.api.schemas import replies
from service.api.schemas.requests import NewFork, read
from service.projections.positions.facts import Facts
from service.store.codec import encode_state
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment

blueprint = Blueprint("position", __name__)


@blueprint.get("/v1/games/<game>/position")
@told(
    "The whole state",
    text="Of a finished game, or of a sandbox that you sit in or made. A sandbox can be made from it.",
    gives={200: replies.PositionDocument},
    problems=("unknown-game", "not-started", "not-over", "not-your-seat", "unknown-commit", "too-much-work"),
    parameters=("at",),
)
def position(game_id: GameId) -> Response:
    guest = enter(game_id, anyone())
    rows = guest.rows()
    _must_be_open(guest, rows)
    seq, named = instant(guest, rows.seq) if "at" in request.args else (rows.seq, False)
    headers = immutable(0) if named else current(0)
    headers |= {**head_header(rows.seq, rows.head), "Content-Location": location(f"/v1/games/{game_id}/position", seq)}
    document = guest.compute(lambda desk, facts: _state(desk, facts, seq))
    return raw(orjson.dumps({"seq": seq, "position": document}), headers=headers)


def _must_be_open(guest: Guest, rows: Rows) -> None:
    if rows.status == "over":
        return
    if guest.lobby.sandbox is None:
        raise Problem("not-over")
    if not is_member(guest.lobby, guest.player_id):
        raise Problem("not-your-seat")


def _state(desk: Desk, facts: Facts, seq: int) -> Any:
    return encode_state(standing(desk, facts, seq).state)


@blueprint.post("/v1/games/<game>/fork")
@told(
    "Try it differently",
    text="A new sandbox that starts as this game stood after a commit: of a finished game, or of a sandbox of your own. "
    "Every seat is yours; leave some to bots before you start it.",
    takes=NewFork,
    gives={201: replies.GameMade},
    problems=(
        *("unknown-game", "not-started", "not-over", "not-your-seat", "unknown-commit"),
        *("too-much-work", "too-many-sandboxes"),
    ),
    auth="required",
)
def fork(game_id: GameId) -> Response:
    credential = somebody(PLAY)
    guest = enter(game_id, credential)
    body = read(NewFork)
    house = guest.house
    rows = guest.rows()
    _must_be_open(guest, rows)
    seq = body.get("seq", rows.seq)
    if seq > rows.seq:
        raise Problem("unknown-commit", f"The game stands at commit {rows.seq}.")
    document = guest.compute(lambda desk, facts: _state(desk, facts, seq))
    seed, invitation, origin = secrets.token_bytes(32), new_invitation(), guest.lobby
    lobby = Lobby(
        GameId(new_id("g")),
        origin.kind,
        credential.player,
        tuple(Chair(credential.player) for _ in origin.chairs),
        origin.ruleset,
        origin.options,
        origin.modules,
        {"mode": "free"},
        "unlisted",
        commitment(seed),
        house.store.log.now(),
        {"position": document, "dice": body.get("dice"), "forked": {"game": game_id, "seq": seq}},
        digest_of(invitation),
    )
    take_table(house, lobby)
    house.store.lobbies.create(lobby, seed)
    return made(enter(lobby.id, credential, fresh=True), invitation)
