"""Routes for studies of a game."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

import msgspec
from flask import Blueprint, Response

from domain.kernel.dice import Dice
from domain.kernel.terms import GameId, PlayerId, Seat
from domain.table import features
from domain.table.rated import RATED
from domain.table.studies import OFF, ON, STUDIES
from service.core.accounts.scopes import GAMES_CREATE, GAMES_READ
from service.core.http.access.auth import GameAccess, authorize, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS, count_game
from service.core.http.access.reading import reader_of
from service.core.http.access.starting import start_and_wait
from service.core.http.context.app import current_context
from service.core.http.context.entropy import random_bytes, request_key
from service.core.http.context.offload import ReadContext
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.resources.view import position_after
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.core.http.setup import titles
from service.core.positions.game_config import GameConfig
from service.features.studies import storage
from service.features.studies.schemas import Studies, Study, StudyNameRequest, StudyRequest
from service.features.studies.storage import StoredStudy
from service.store.codec import encode_state
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment

blueprint = Blueprint("studies", __name__)


@blueprint.post("/v1/games/<game>/studies")
@documented(
    "Study a game",
    operation="createStudy",
    scope=GAMES_CREATE,
    text="Starts a private sandbox from this game after a commit, in which you play all seats. Everything hidden from your "
    "seat is drawn again, so the position contains only what you may know. The dice of the sandbox are its own. "
    "In a study you can start another one from any of its commits.",
    takes=StudyRequest,
    gives={201: Study},
    problems=(
        *("key-reused", "in-progress", "unknown-game", "not-started", "not-your-seat", "unknown-commit", "game-over"),
        *("feature-disabled", "too-much-work", "too-many-studies", "too-many-sandboxes", "too-many-games"),
        *("too-many-running-games", "too-many-bot-games", "too-much-sandbox-data"),
    ),
    parameters=("Idempotency-Key", "seat"),
    auth="required",
    answer="The study.",
    headers=("Location",),
)
@idempotent
def create(game_id: GameId) -> Response:
    credential = required_caller()
    access = authorize(game_id, credential)
    body = read_body(StudyRequest)
    name = titles.checked(body["name"], "/name") if "name" in body else ""
    context, seat, store = access.context, access.own_seat, access.context.store
    rows = access.rows_without_views()
    if access.lobby.table.get(STUDIES) == OFF and rows.status == "running":
        raise Problem("feature-disabled", "Studies of this game are possible after its end.")
    seq = body.get("at", rows.seq)
    parent = storage.find_study(store, credential.player, game_id)
    draw = body.get("draw", None if parent else int.from_bytes(random_bytes(6), "big"))
    knower = reader_of(access, rows.status).seat_at(seq) if parent is None else Seat(parent.seat)
    document = access.compute(lambda reads, facts: _state(reads, facts, seq, knower, draw))
    study = StoredStudy(
        game_id if parent is None else parent.game,
        game_id,
        seq,
        seat if parent is None else parent.seat,
        draw,
        name or f"Commit {seq}",
        store.schedule.now(),
    )
    seed = secrets.token_bytes(32)
    lobby = _sandbox(access.lobby, GameId(new_id("g")), credential.player, study, document, seed)
    if not (request_key() and store.lobbies.get(lobby.id)):
        _count_study(access)
        count_game(context, lobby)
    store.lobbies.create(lobby, seed)
    stored = storage.add_study(store, credential.player, lobby.id, study)
    try:
        start_and_wait(context, store.lobbies.get(lobby.id) or lobby)
    except Problem:  # too many games are running
        storage.remove_studies(store, credential.player, [lobby.id])
        store.lobbies.delete(lobby.id, credential.player)
        raise
    described = _describe(lobby.id, stored, "running")
    return json_response(described, 201, {"Location": f"/v1/games/{lobby.id}"})


def _state(reads: ReadContext, facts: GameConfig, seq: int, seat: Seat | None, draw: int | None) -> Any:
    """The position that a study starts from. ``draw`` None: the state as it is, which the reader may know completely."""
    position = position_after(reads, facts, seq)
    if position.over:
        raise Problem("game-over", "Choose a commit before the end of the game.")
    if draw is None:
        return encode_state(position.state)
    # The key depends on nothing secret, so the same draw gives the same position for all states that look alike to the seat.
    dice = Dice(hashlib.sha256(b"oraclewheel/study/%d" % draw).digest())
    return encode_state(facts.game.knowledge.imagine(position.state, seat, dice))


def _sandbox(origin: Lobby, id_: GameId, player_id: PlayerId, study: StoredStudy, position: Any, seed: bytes) -> Lobby:
    return Lobby(
        id_,
        origin.kind,
        player_id,
        tuple(Chair(player_id) for _ in origin.chairs),
        origin.ruleset,
        origin.options,
        origin.modules,
        {"mode": "free"},
        "private",
        commitment(seed),
        study.created_at,
        {"position": position, "dice": None, "forked": {"game": study.origin, "seq": study.seq}},
        table=features.complete_settings({**origin.table, RATED: False, STUDIES: ON}),
    )


def _count_study(access: GameAccess) -> None:
    """Raises the problem of too many studies. Those whose sandbox was deleted do not count."""
    assert access.player_id is not None
    if len(_list(access.player_id)) >= storage.MOST:
        detail = f"An account can have {storage.MOST} studies. Delete one of them."
        raise limit_problem(LIMIT_RETRY_SECONDS, "too-many-studies", detail)


@blueprint.get("/v1/games/<game>/studies")
@documented(
    "List studies of a game",
    operation="listStudies",
    scope=GAMES_READ,
    text="Lists your studies of the game, and the studies that started from them. Other players cannot see them.",
    gives={200: Studies},
    problems=("unknown-game",),
    auth="required",
    answer="The studies, the newest first.",
)
def index(game_id: GameId) -> Response:
    credential = required_caller()
    authorize(game_id, credential)
    found = [
        _describe(id_, study, status)
        for id_, (study, status) in _list(credential.player).items()
        if study.game == game_id
    ]
    return json_response({"studies": found})


def _list(player_id: PlayerId) -> dict[GameId, tuple[StoredStudy, str]]:
    """The player's studies with the status of each. Forgets those whose sandbox was deleted some time after its end."""
    store = current_context().store
    found = storage.list_studies(store, player_id)
    lobbies = {lobby.id: lobby for lobby in store.lobbies.read_all(list(found)) if lobby is not None}
    storage.remove_studies(store, player_id, found.keys() - lobbies.keys())
    return {id_: (study, lobbies[id_].status) for id_, study in found.items() if id_ in lobbies}


def _describe(id_: GameId, study: StoredStudy, status: str) -> dict[str, Any]:
    return {
        "id": id_,
        "game": study.game,
        "origin": {"game": study.origin, "seq": study.seq},
        "seat": study.seat,
        "draw": study.draw,
        "name": study.name,
        "created_at": study.created_at,
        "status": status,
    }


@blueprint.patch("/v1/games/<game>/studies/<study>")
@documented(
    "Rename a study",
    operation="updateStudy",
    scope=GAMES_CREATE,
    takes=StudyNameRequest,
    gives={200: Study},
    problems=("unknown-study",),
    auth="required",
    answer="The study.",
)
def rename(game_id: GameId, study: str) -> Response:
    player_id, store = required_caller().player, current_context().store
    name = titles.checked(read_body(StudyNameRequest)["name"], "/name")
    known, lobby = _find(player_id, game_id, study)
    renamed = msgspec.structs.replace(known, name=name)
    storage.replace_study(store, player_id, lobby.id, renamed)
    return json_response(_describe(lobby.id, renamed, lobby.status))


@blueprint.delete("/v1/games/<game>/studies/<study>")
@documented(
    "Delete a study",
    operation="deleteStudy",
    scope=GAMES_CREATE,
    text="Erases the study and its sandbox. Studies that started from it stay.",
    gives={204: None},
    problems=("unknown-study", "too-much-work"),
    auth="required",
    answer="The study is deleted.",
)
def remove(game_id: GameId, study: str) -> Response:
    player_id, store = required_caller().player, current_context().store
    _, lobby = _find(player_id, game_id, study)
    match lobby.status:
        case "lobby":
            store.lobbies.delete(lobby.id, player_id)
        case "running" if not store.lobbies.delete_running_sandbox(lobby.id):
            raise Problem("too-much-work", "A command waits in the study. Try again.", headers={"Retry-After": "1"})
        case "over":
            store.lobbies.expire_sandbox(lobby.id)
    storage.remove_studies(store, player_id, [lobby.id])
    return no_content()


def _find(player_id: PlayerId, game_id: GameId, study: str) -> tuple[StoredStudy, Lobby]:
    """The player's study of the game, and its sandbox. Raises the problem of an unknown one."""
    store = current_context().store
    known = storage.find_study(store, player_id, GameId(study))
    lobby = None if known is None else store.lobbies.get(GameId(study))
    if known is None or known.game != game_id or lobby is None:
        raise Problem("unknown-study")
    return known, lobby
