"""Routes for the complete state of a finished game or a sandbox, and for forking it."""

from __future__ import annotations

import secrets
from typing import Any

import orjson
from flask import Blueprint, Response, request

from domain.kernel.terms import GameId
from domain.table import features
from domain.table.rated import RATED
from service.core.accounts.scopes import GAMES_CREATE, GAMES_READ
from service.core.http.access.auth import GameAccess, authorize, is_member, optional_caller, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id, new_invitation
from service.core.http.access.quotas import count_game
from service.core.http.context.entropy import request_key
from service.core.http.context.offload import ReadContext
from service.core.http.context.tokens import digest_of
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.resources.games import new_game_answer
from service.core.http.resources.view import lasting_url, position_after, seq_asked_for
from service.core.http.responses import head_header, immutable_headers, json_bytes_response, revalidation_headers
from service.core.http.schemas import replies
from service.core.http.schemas.requests import read_body
from service.core.positions.game_config import GameConfig
from service.features.forks.schemas import ForkRequest, PositionDocument
from service.store.codec import encode_state
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment

blueprint = Blueprint("position", __name__)


@blueprint.get("/v1/games/<game>/position")
@documented(
    "Get the complete state",
    operation="getPosition",
    scope=GAMES_READ,
    text="Available for finished games, and for sandboxes that you created or have a seat in. You can create a "
    "sandbox from this state.",
    gives={200: PositionDocument},
    problems=("unknown-game", "not-started", "game-not-over", "not-your-seat", "unknown-commit", "too-much-work"),
    parameters=("at",),
    answer="The complete state.",
    headers=("Game-Head", "Content-Location"),
)
def position(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    rows = access.rows_without_views()
    _require_open(access, rows)
    seq, named = seq_asked_for(access, rows.seq) if "at" in request.args else (rows.seq, False)
    headers = immutable_headers(0) if named else revalidation_headers(0)
    headers |= {
        **head_header(rows.seq, rows.head),
        "Content-Location": lasting_url(f"/v1/games/{game_id}/position", seq),
    }
    document = access.compute(lambda reads, facts: _state(reads, facts, seq))
    return json_bytes_response(orjson.dumps({"seq": seq, "position": document}), headers=headers)


def _require_open(access: GameAccess, rows: Rows) -> None:
    if rows.status == "over":
        return
    if access.lobby.sandbox is None:
        raise Problem("game-not-over")
    if not is_member(access.lobby, access.player_id, access.context.store.schedule.now):
        raise Problem("not-your-seat")


def _state(reads: ReadContext, facts: GameConfig, seq: int) -> Any:
    return encode_state(position_after(reads, facts, seq).state)


@blueprint.post("/v1/games/<game>/fork")
@documented(
    "Fork a game",
    operation="forkGame",
    scope=GAMES_CREATE,
    text="Creates a sandbox that starts with the state of this game after a commit. The game must be finished, "
    "or be a sandbox of yours. All seats are yours; you can give some to bots before you start it.",
    takes=ForkRequest,
    gives={201: replies.CreatedGame},
    problems=(
        "key-reused",
        "in-progress",
        *("unknown-game", "not-started", "game-not-over", "not-your-seat", "unknown-commit"),
        *("too-much-work", "too-many-sandboxes", "too-many-games", "too-much-sandbox-data"),
    ),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The sandbox and its invitation.",
    headers=("Game-Head", "Location"),
)
@idempotent
def fork(game_id: GameId) -> Response:
    credential = required_caller()
    access = authorize(game_id, credential)
    body = read_body(ForkRequest)
    context = access.context
    rows = access.rows_without_views()
    _require_open(access, rows)
    seq = body.get("seq", rows.seq)
    if seq > rows.seq:
        raise Problem("unknown-commit", f"The newest commit of the game is {rows.seq}.")
    document = access.compute(lambda reads, facts: _state(reads, facts, seq))
    seed, invitation, origin = secrets.token_bytes(32), new_invitation(), access.lobby
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
        context.store.schedule.now(),
        {"position": document, "dice": body.get("dice"), "forked": {"game": game_id, "seq": seq}},
        digest_of(invitation),
        table=features.complete_settings({**origin.table, RATED: False}),
    )
    if not (request_key() and context.store.lobbies.get(lobby.id)):
        count_game(context, lobby)
    context.store.lobbies.create(lobby, seed)
    return new_game_answer(authorize(lobby.id, credential, fresh=True), invitation)
