"""Routes for the state of a game as a seat or the public sees it, now or after any commit."""

from __future__ import annotations

from flask import Blueprint, Response, request

from domain import RELEASE
from domain.kernel.record import Position
from domain.kernel.terms import GameId, Seat
from service.core.accounts.scopes import GAMES_READ
from service.core.http.access.auth import GameAccess, authorize, ticket_or_caller
from service.core.http.access.reading import reader_of
from service.core.http.context.offload import ReadContext
from service.core.http.problems import Problem, invalid_parameter
from service.core.http.reference.routes import Shared, documented
from service.core.http.responses import (
    head_header,
    immutable_headers,
    json_bytes_response,
    not_modified,
    parse_instant,
    query_choice,
    revalidation_headers,
    view_body,
)
from service.core.http.schemas.views import EXAMPLE
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import as_bytes, build_plan, build_private, build_public, is_open, list_seen

blueprint = Blueprint("view", __name__)


@blueprint.get("/v1/games/<game>/view")
@documented(
    "Get a game view",
    operation="getView",
    scope=GAMES_READ,
    text="`public` is what everyone can see. `private` is what only your seat can see. It is null for the "
    "public. For a player who resigned, it is null until the game is over, but `?at=` returns it up to the "
    "resignation. `seq` is the last commit that changed the view. It is the ETag, and the value that "
    "If-Match is compared with. `?at=` returns the view after an earlier commit or at an instant. After the "
    "game, `?seat=` returns the view of any seat. `?with=plan` adds `plan`: data for planning a turn "
    "without the rulebook, such as prices and how far heroes can move. It is null for the public.",
    gives={200: Shared("View", EXAMPLE), 304: None},
    problems=("unknown-game", "not-started", "not-your-seat", "unknown-commit", "too-much-work"),
    parameters=("at", "seat", "with", "ticket", "If-None-Match"),
    answer="The game as the seat or the public sees it.",
    headers=("ETag", "Game-Head", "Content-Location"),
)
def view(game_id: GameId) -> Response:
    access = authorize(game_id, ticket_or_caller(game_id))
    planned = query_choice("with", ("plan",)) is not None
    if "at" in request.args:
        return _past(access, planned=planned)
    rows = access.rows(access.seats)
    access.require_visible(rows.status)
    seen = rows.seen[access.seat or 0]
    etag = f'"{seen}"'
    headers = revalidation_headers(None if access.player_id is None else 0)
    headers |= head_header(rows.seq, rows.head)
    known = not_modified(etag, headers)
    if known is not None:
        return known
    if planned:
        seen, body = access.compute(lambda reads, facts: _planned(reads, facts, access.seat))
        return json_bytes_response(body, headers={**headers, "ETag": f'"{seen}"'})
    headers["ETag"] = etag
    private = rows.private[access.seat] if access.seat is not None else b"null"
    return json_bytes_response(view_body(access.lobby.kind, seen, rows.public, private), headers=headers)


def _past(access: GameAccess, *, planned: bool) -> Response:
    game_id = access.lobby.id
    rows = access.rows_without_views()
    access.require_visible(rows.status)
    seq, named = seq_asked_for(access, rows.seq)
    seat = reader_of(access, rows.status).seat_at(seq)
    closed = access.seat is not None and seat is None  # until the end, so it must not be cached forever
    own = 0 if access.lobby.visibility == "private" else access.seat
    headers = (
        immutable_headers(own)
        if named and not closed
        else revalidation_headers(None if access.player_id is None else 0)
    )
    headers |= head_header(rows.seq, rows.head)
    if not named:
        headers["Content-Location"] = lasting_url(f"/v1/games/{game_id}/view", seq) + ("&with=plan" if planned else "")
    etag = f'"{seq}-{RELEASE}{"-closed" if closed else ""}"'
    known = not_modified(etag, headers)
    if known is not None:
        return known
    headers["ETag"] = etag
    body = access.compute(lambda reads, facts: _seen_at(reads, facts, seq, seat, planned=planned))
    return json_bytes_response(body, headers=headers)


def _seen_at(reads: ReadContext, facts: GameConfig, seq: int, seat: Seat | None, *, planned: bool) -> bytes:
    position = position_after(reads, facts, seq)
    public = as_bytes(build_public(facts.game.knowledge, position))
    private = b"null" if seat is None else as_bytes(build_private(facts.game.knowledge, position, seat))
    plan = as_bytes(build_plan(facts.game.knowledge, position, seat)) if planned else None
    return view_body(facts.game.key, position.etag(seat), public, private, plan)


def _planned(reads: ReadContext, facts: GameConfig, seat: Seat | None) -> tuple[int, bytes]:
    """The newest view with its reader's planning data, and its ETag; all from one position."""
    position = reads.positions.read_newest(facts)
    own = None if seat is None or not is_open(position, seat) else seat
    private = b"null" if own is None else as_bytes(build_private(facts.game.knowledge, position, own))
    plan = as_bytes(build_plan(facts.game.knowledge, position, own))
    seen = list_seen(position)[seat or 0]
    return seen, view_body(facts.game.key, seen, as_bytes(build_public(facts.game.knowledge, position)), private, plan)


def position_after(reads: ReadContext, facts: GameConfig, seq: int) -> Position:
    """The position after a commit of a started game. Raises the problems of any other."""
    try:
        position = reads.positions.read_at(facts, seq)
    except LookupError as error:
        raise Problem("unknown-commit") from error
    if position.table is None:
        raise Problem("game-stalled")
    return position


def seq_asked_for(access: GameAccess, newest: int) -> tuple[int, bool]:
    """The seq for ``?at=``, and whether it names the seq itself. Raises the problems of an unknown one."""
    text = request.args["at"]
    if text.isascii() and text.isdecimal() and len(text) <= 15:
        seq = int(text)
        if not 1 <= seq <= newest:
            raise Problem("unknown-commit", f"Commits are numbered from 1; the newest is {newest}.")
        return seq, True
    try:
        moment = parse_instant(text)
    except ValueError as error:
        raise invalid_parameter(
            "at", "at must be the number of a commit or an instant such as 2030-01-31T18:00:00Z."
        ) from error
    seq = access.context.store.log.seq_at(access.lobby.id, moment)
    if seq == 0:
        raise Problem("unknown-commit", "The game had not started at that time.")
    return seq, False


def lasting_url(path: str, seq: int) -> str:
    """The permanent URL of the same content."""
    seat = request.args.get("seat")
    return f"{path}?at={seq}" + (f"&seat={seat}" if seat else "")
