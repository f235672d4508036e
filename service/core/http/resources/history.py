"""Routes for the history of a game, newest first, with filters."""

from __future__ import annotations

from flask import Blueprint, Response, request

from domain.kernel.terms import SYSTEM, GameId, Seat
from domain.table import features
from service.core.accounts.scopes import GAMES_READ
from service.core.http.access.auth import GameAccess, authorize, optional_caller
from service.core.http.access.reading import REFUSED, EntryFilter, progress, read_backward
from service.core.http.problems import invalid_parameter
from service.core.http.reference.parameters import ENTRIES, FURTHEST, MOST_ENTRIES
from service.core.http.reference.routes import documented
from service.core.http.responses import head_header, json_response, next_page_header, query_number, revalidation_headers
from service.core.http.schemas import replies

blueprint = Blueprint("history", __name__)

ITSELF = "system"
"""The actor of automatic commits: the game itself."""


@blueprint.get("/v1/games/<game>/history")
@documented(
    "List events, newest first",
    operation="listHistory",
    scope=GAMES_READ,
    text="Returns the entries of `GET …/events` in reverse order, from the newest commit or from before the "
    "commit in `?before=`. `?actor=` filters by the seat that acted, or by `system` for the game itself. "
    "`?type=` filters by a line type of the kind of game, or by `refused` for your own refused commands. A "
    "page with filters can have fewer entries than the limit, or none. While `more` is true, continue with "
    "`before` or with the Link header.",
    gives={200: replies.HistoryPage},
    problems=("unknown-game", "not-your-seat"),
    parameters=("before", "actor", "type", "entries", "seat"),
    answer="A page of the history, newest entry first.",
    headers=("Game-Head", "Link"),
)
def history(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    # A caller who entered before the start must not read the game that has begun since: another player may have the
    # seat.
    seq, head, status = (
        (0, "", "lobby") if access.lobby.status == "lobby" else progress(access.context, access.lobby.id)
    )
    access.require_visible(status)
    wanted = EntryFilter(_who(access), _type(access))
    before = query_number("before", FURTHEST, 1, FURTHEST)
    limit = query_number("limit", ENTRIES, 1, MOST_ENTRIES)
    headers = {**revalidation_headers(None if access.player_id is None else 0), **head_header(seq, head)}
    if not seq:
        return json_response({"events": [], "before": 1, "more": False}, headers=headers)
    page = read_backward(access, before, seq, wanted, limit)
    if page.more:
        headers |= next_page_header(before=page.before)
    return json_response({"events": page.entries, "before": page.before, "more": page.more}, headers=headers)


def _who(access: GameAccess) -> Seat | None:
    """The actor. Raises the problem of a seat that the table does not have."""
    text, most = request.args.get("actor"), len(access.lobby.chairs)
    if text is None:
        return None
    if text == ITSELF:
        return SYSTEM
    if not text.isascii() or not text.isdecimal() or len(text) > 3 or not 1 <= int(text) <= most:
        raise invalid_parameter("actor", f"actor must be the number of a seat from 1 to {most}, or {ITSELF}.")
    return Seat(int(text))


def _type(access: GameAccess) -> str | None:
    """The type of line. Raises the problem of a type that this kind of game does not have."""
    text = request.args.get("type")
    if text is not None and text not in (REFUSED, *access.game.rules.events, *features.EVENTS):
        raise invalid_parameter(
            "type", f"type must be {REFUSED} or one of the events that GET /v1/kinds/{access.lobby.kind} lists."
        )
    return text
