"""The board as a picture, and the course of the points: what everybody may see, drawn."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from flask import Blueprint, Response, request

from domain import RELEASE
from domain.drawing.chart import Course, Sample, points
from domain.terms import GameId
from service.api.access.auth import GameAccess, authorize, optional_caller
from service.api.context.offload import ReadContext
from service.api.http.answers import head_header, immutable, not_modified, revalidated
from service.api.http.problems import Problem
from service.api.reference.routes import documented
from service.api.resources.view import lasting_url, position_after, seq_asked_for
from service.projections.positions.cache import walked
from service.projections.positions.facts import Facts
from service.projections.positions.rows import as_bytes, public_part

blueprint = Blueprint("pictures", __name__)

SVG = "image/svg+xml"
GUARD = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
"""A picture opened by itself runs nothing and fetches nothing."""


@blueprint.get("/v1/games/<game>/board.svg")
@documented(
    "The board as a picture",
    text="The public part of the view, drawn 800 pixels wide, with a title and a description for those who hear it. "
    "`?at=` travels back as it does in the view.",
    gives={200: SVG, 304: None},
    problems=("unknown-game", "not-started", "unknown-commit", "too-much-work"),
    parameters=("at", "If-None-Match"),
)
def board(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    rows = access.rows()
    access.require_visible(rows.status)
    seq, named = seq_asked_for(access, rows.seq) if "at" in request.args else (rows.seen[0], False)
    headers, etag = _headers(access, rows.seq, rows.head, named=named), f'"{seq}-{RELEASE}"'
    if "at" in request.args and not named:
        headers["Content-Location"] = lasting_url(f"/v1/games/{game_id}/board.svg", seq)
    known = not_modified(etag, headers)
    if known is not None:
        return known
    public = _in_row(rows.public) if seq == rows.seen[0] else None
    names = _names(access)
    picture = access.compute(lambda reads, facts: facts.rules.board(public or _public(reads, facts, seq), names))
    return _drawn(picture, etag, headers)


@blueprint.get("/v1/games/<game>/charts/points.svg")
@documented(
    "The course of the points",
    text="Points over the days or rounds, a line for each player, and one for each nation where players have several.",
    gives={200: SVG, 304: None},
    problems=("unknown-game", "not-started", "too-much-work"),
    parameters=("If-None-Match",),
)
def chart(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    course = access.seated.game.course
    if course is None:
        raise Problem("not-found", "There is no chart of this kind of game.")
    rows = access.rows()
    access.require_visible(rows.status)
    seq = rows.seen[0]
    headers, etag = _headers(access, rows.seq, rows.head, named=False), f'"{seq}-{RELEASE}"'
    known = not_modified(etag, headers)
    if known is not None:
        return known
    names = _names(access)
    picture = access.compute(lambda reads, facts: points(course, _samples(reads, facts, course, seq), names))
    return _drawn(picture, etag, headers)


def _headers(access: GameAccess, seq: int, head: str, *, named: bool) -> dict[str, str]:
    """A picture shows the public part alone; only a private game's is not for everybody's cache."""
    scope = None if access.lobby.visibility != "private" else 0
    keep = immutable(scope) if named else revalidated(scope)
    return {**keep, **GUARD, **head_header(seq, head)}


def _names(access: GameAccess) -> Mapping[str, str]:
    return {str(seat): name for seat, name in access.seated.names().items()}


def _in_row(row: bytes) -> Mapping[str, object] | None:
    """The newest public part as its row holds it; None if the row is garbled, so that it is made from the log again."""
    try:
        document: Mapping[str, object] = orjson.loads(row)
    except orjson.JSONDecodeError:
        return None
    return document


def _public(reads: ReadContext, facts: Facts, seq: int) -> Mapping[str, object]:
    document: Mapping[str, object] = orjson.loads(as_bytes(public_part(facts.rules, position_after(reads, facts, seq))))
    return document


def _samples(reads: ReadContext, facts: Facts, course: Course, last: int) -> list[Sample]:
    """How the points stood whenever the game's time moved on, and how they stand now."""
    found = []
    for stored, body, position in walked(facts.rules, facts.beginning(), reads.store.log.commits(facts.id, 1, last)):
        wanted = course.every_commit or body["actor"]["by"] == "system" or stored.seq == last
        if position.state is not None and wanted:
            found.append(course.sample(facts.rules.view(position.state)))
    return found


def _drawn(picture: str, etag: str, headers: Mapping[str, str]) -> Response:
    response = Response(picture, mimetype=SVG)
    response.headers["ETag"] = etag
    response.headers.update(headers)
    return response
