"""Routes for analyses of finished games and of your own sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from flask import Blueprint, Response
from redis.exceptions import RedisError

from domain.drawing.odds import odds
from domain.drawing.svg import SCHEMES, in_scheme
from domain.kernel.terms import GameId
from domain.table.bots.search import LEVELS
from service.core.accounts.scopes import GAMES_PLAY, GAMES_READ
from service.core.http.access.auth import GameAccess, authorize, optional_caller, required_caller
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import GUARD, SVG, json_response, query_choice, query_number, revalidation_headers
from service.core.http.schemas.requests import read_body
from service.core.queue.compute import ComputeQueue, search_workers
from service.features.analysis.jobs import analysis_job
from service.features.analysis.schemas import Analysis, AnalysisRequest
from service.features.analysis.storage import StoredAnalysis
from service.store.ports.commits import Rows
from service.store.ports.lobbies import is_bot

blueprint = Blueprint("analyses", __name__)

MOST = 2
"""Maximum number of an account's analyses at a time."""
SECONDS = 3600
"""Seconds after which a slot that is not released expires."""
AGAIN = 5
"""Seconds until the next status request is useful."""
SOON = 60
"""Seconds until a retry; a slot is free as soon as an analysis is done."""


@blueprint.post("/v1/games/<game>/analysis")
@documented(
    "Start an analysis",
    operation="startAnalysis",
    scope=GAMES_PLAY,
    text="Analyzes a finished game, or a running sandbox that you created and in which only you play. The "
    "analysis shows turning points, better moves, and luck. Search workers compute it in pieces, and it is "
    "kept for thirty days.\n\nIf the analysis already exists or is in progress, nothing is computed again. "
    "For a sandbox that has continued, only the missing part is computed. A failed analysis can be "
    "requested again after one hour. Level 1 takes about a minute for a game of Battalia; levels 2 and 3 "
    "take 25 times as long. An account can have two analyses in progress.",
    takes=AnalysisRequest,
    gives={200: Analysis, 202: Analysis},
    problems=("unknown-game", "not-started", "game-not-over", "too-many-analyses", "no-search-worker"),
    auth="required",
    answer="The analysis.",
    headers=("Location",),
)
def ask(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    level = read_body(AnalysisRequest).get("level", 1)
    rows = _require_open(access)
    if not rows.seq:
        raise Problem("not-started")
    kept = _kept(access, level)
    if kept.is_needed(rows.seq):
        _require_thinkers(access)
        _hold_place(access, level)
        kept.request(rows.seq)
    try:
        _go_on(access, kept, level)  # the worker may have been killed
    except RedisError as error:
        raise Problem("no-search-worker", headers={"Retry-After": str(AGAIN)}) from error
    return _told(access, kept, level, waits=202)


@blueprint.get("/v1/games/<game>/analysis")
@documented(
    "Get an analysis",
    operation="getAnalysis",
    scope=GAMES_READ,
    text="Returns the progress of the analysis, and the complete result when it is finished. Seats are numbers. "
    "All shares are fractions of a win, 0 to 1. docs/bots.md explains the numbers.",
    gives={200: Analysis},
    problems=("unknown-game", "not-started", "game-not-over", "no-analysis"),
    parameters=("level",),
    answer="The analysis.",
    headers=("Location",),
)
def read(game_id: GameId) -> Response:
    access, level = authorize(game_id, optional_caller()), _level()
    _require_open(access)
    kept = _kept(access, level)
    with suppress(RedisError):  # the progress is in the store; the schedule continues it
        _go_on(access, kept, level)
    return _told(access, kept, level, waits=200)


@blueprint.get("/v1/games/<game>/analysis.svg")
@documented(
    "Draw the chances of winning",
    operation="getAnalysisChart",
    scope=GAMES_READ,
    text="A chart with one line per seat and a ring at each turning point.",
    gives={200: SVG},
    problems=("unknown-game", "not-started", "game-not-over", "no-analysis"),
    parameters=("level", "scheme"),
    answer="The chart.",
)
def draw(game_id: GameId) -> Response:
    access, level, scheme = authorize(game_id, optional_caller()), _level(), query_choice("scheme", SCHEMES) or "auto"
    rows = _require_open(access)
    kept = _kept(access, level)
    document = kept.load_document()
    if document is None:
        raise _undrawn(kept)
    names = {int(seat): name for seat, name in access.seated.names().items()}
    turns = [(point["seq"], point["seat"]) for point in document["turning_points"]]
    picture = odds([(seq, each) for seq, *each in document["chances"]], names, turns)
    open_to_all = rows.status == "over" and access.lobby.visibility != "private"
    headers = {**revalidation_headers(None if open_to_all else 0), **GUARD}
    return Response(in_scheme(picture, scheme), mimetype=SVG, headers=headers)


def _level() -> int:
    return query_number("level", 1, min(LEVELS), max(LEVELS))


def _require_open(access: GameAccess) -> Rows:
    """Raises the problem of a running game, because its analysis would matter to others.

    A sandbox with a single player is allowed.
    """
    rows = access.rows_without_views()
    if rows.status != "over" and not (_is_owned(access) and _is_owned(access.refresh())):
        raise Problem("game-not-over")
    return rows


def _is_owned(access: GameAccess) -> bool:
    """Whether it is a sandbox of the caller's own.

    They created it, and no other player has a seat or is or will be a sitter.
    """
    lobby, player_id = access.lobby, access.player_id
    if lobby.sandbox is None or player_id is None or lobby.creator != player_id:
        return False
    others = {chair.holder for chair in lobby.chairs if chair.holder and not is_bot(chair.holder)} - {player_id}
    return not others and not lobby.seating.sitters


def _kept(access: GameAccess, level: int, game_id: GameId | None = None) -> StoredAnalysis:
    store = access.context.store
    return StoredAnalysis(store.notes, store.schedule.now, game_id or access.lobby.id, level)


def _require_thinkers(access: GameAccess) -> None:
    queue = access.context.queue
    if queue is None or not search_workers(queue.connection):
        raise Problem("no-search-worker", headers={"Retry-After": str(AGAIN)})


def _hold_place(access: GameAccess, level: int) -> None:
    """Take one of the account's slots. Slots of analyses that have ended are released."""
    places, name = access.context.store.places, f"analyses:{access.player_id}"
    for holder in places.held(name):
        game_id, _, at = holder.partition(" ")
        progress = _kept(access, int(at), GameId(game_id)).get_progress()
        if progress is None or progress.status != "under-way":
            places.let_go([(name, holder)])
    held, wait = places.hold(name, f"{access.lobby.id} {level}", MOST, SECONDS)
    if not held:
        raise Problem("too-many-analyses", headers={"Retry-After": str(min(max(1, wait), SOON))})


def _go_on(access: GameAccess, kept: StoredAnalysis, level: int) -> None:
    """Enqueue the next piece of a running analysis, unless it is queued or a live worker has it.

    Raises redis-py's errors.
    """
    queue, progress = access.context.queue, kept.get_progress()
    if queue is not None and progress is not None and progress.status == "under-way":
        ComputeQueue(queue.connection).enqueue([analysis_job(access.lobby.id, level, progress.done)])


def _undrawn(kept: StoredAnalysis) -> Problem:
    """The reason why there is no chart."""
    progress = kept.get_progress()
    if progress is None or progress.status == "done":
        return Problem("no-analysis")
    return Problem("no-analysis", progress.reason or "The analysis is still in progress. Try again later.")


def _told(access: GameAccess, kept: StoredAnalysis, level: int, waits: int) -> Response:
    progress = kept.get_progress()
    if progress is None:
        raise Problem("no-analysis")
    document = kept.load_document() if progress.status == "done" else None
    told: Mapping[str, Any] = {
        "level": level,
        "status": progress.status,
        "since": progress.since,
        "done": progress.done,
        "total": progress.total,
        "reason": progress.reason,
        "analysis": document,
    }
    at = {"Location": f"/v1/games/{access.lobby.id}/analysis?level={level}"}
    if progress.status == "under-way":
        return json_response(told, waits, {**at, "Retry-After": str(AGAIN)})
    return json_response(told, 200, at)
