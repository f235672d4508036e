"""Routes for pictures of the board and the score chart, showing only public information."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson
from flask import Blueprint, Response, request

from domain import RELEASE
from domain.drawing.chart import Course, ScoreSample, points
from domain.drawing.svg import SCHEMES, in_scheme
from domain.kernel.terms import GameId
from service.core.accounts.scopes import GAMES_READ
from service.core.history.lines import read_board_lines
from service.core.http.access.auth import GameAccess, authorize, optional_caller, ticket_or_caller
from service.core.http.context.lobbies import SeatedLobby
from service.core.http.context.offload import ReadContext
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.resources.view import lasting_url, position_after, seq_asked_for
from service.core.http.responses import (
    GUARD,
    SVG,
    head_header,
    immutable_headers,
    not_modified,
    query_choice,
    query_number,
    revalidation_headers,
)
from service.core.positions.cache import replay
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import as_bytes, build_public, find_sides

blueprint = Blueprint("pictures", __name__)

PNG = "image/png"
LEAST, MOST, USUAL = 100, 2000, 800
"""Width of a PNG in pixels: minimum, maximum, default."""


@blueprint.get("/v1/games/<game>/board.svg")
@documented(
    "Draw the board as SVG",
    operation="getBoardSvg",
    scope=GAMES_READ,
    text="Shows the public part of the view. The picture scales to the available width and follows the light or "
    "dark mode of the reader's device. It includes a legend, marks the last moves, and has a title and a "
    "description for screen readers. Elements that an option can name have its key in `data-ref` and their "
    "type in `data-kind` (`square`, `hero`, `pile`, `area`, `unit`, …). `?at=` shows the board after an "
    "earlier commit, as in the view.",
    gives={200: SVG, 304: None},
    problems=("unknown-game", "not-started", "unknown-commit", "too-much-work"),
    parameters=("at", "scheme", "ticket", "If-None-Match"),
    answer="The picture.",
    headers=("ETag", "Game-Head", "Content-Location"),
)
def board(game_id: GameId) -> Response:
    scheme = query_choice("scheme", SCHEMES) or "auto"
    asked = _asked_for(game_id, "board.svg", f"-{scheme}" if scheme != "auto" else "")
    if asked.known is not None:
        return asked.known
    return _drawn(in_scheme(asked.picture(), scheme), asked.etag, asked.headers)


@blueprint.get("/v1/games/<game>/board.png")
@documented(
    "Draw the board as PNG",
    operation="getBoardPng",
    scope=GAMES_READ,
    text="The same picture as `board.svg`, for email and chat. `width` sets the width in pixels; the height "
    "follows from the content.",
    gives={200: PNG, 304: None},
    problems=("unknown-game", "not-started", "unknown-commit", "too-much-work"),
    parameters=("at", "width", "scheme", "ticket", "If-None-Match"),
    answer="The picture.",
    headers=("ETag", "Game-Head", "Content-Location"),
)
def board_png(game_id: GameId) -> Response:
    scheme = query_choice("scheme", SCHEMES) or "light"
    width = query_number("width", USUAL, LEAST, MOST)
    asked = _asked_for(game_id, "board.png", f"-{scheme}-{width}")
    if asked.known is not None:
        return asked.known
    svg = in_scheme(asked.picture(), "dark" if scheme == "dark" else "light")
    png = asked.access.context.compute_jobs.render_png(svg, width, asked.access.client)
    return _drawn(png, asked.etag, asked.headers, PNG)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A requested board, after a commit."""

    access: GameAccess
    seq: int
    public: Mapping[str, object] | None
    """The public part of the view, if available."""
    headers: Mapping[str, str]
    etag: str
    known: Response | None
    """The response, if the client has the picture already."""

    def picture(self) -> str:
        """The picture as SVG."""

        def draw(reads: ReadContext, facts: GameConfig) -> str:
            public = self.public or _public(reads, facts, self.seq)
            # Bots are named by their side at that time: pictures of the past never change.
            then = replace(self.access.seated, sides=find_sides(facts.game.presentation, public))
            lines = read_board_lines(reads.store.log, facts, then.narrator, self.seq)
            return facts.game.presentation.board(facts.game.title, public, _names(then), lines)

        return self.access.compute(draw)


def _asked_for(game_id: GameId, file: str, variant: str) -> _Asked:
    access = authorize(game_id, ticket_or_caller(game_id))
    rows = access.rows()
    access.require_visible(rows.status)
    seq, named = seq_asked_for(access, rows.seq) if "at" in request.args else (rows.seen[0], False)
    headers, etag = _headers(access, rows.seq, rows.head, named=named), f'"{seq}-{RELEASE}{variant}"'
    if "at" in request.args and not named:
        headers["Content-Location"] = lasting_url(f"/v1/games/{game_id}/{file}", seq)
    public = _in_row(rows.public) if seq == rows.seen[0] else None
    return _Asked(access, seq, public, headers, etag, not_modified(etag, headers))


@blueprint.get("/v1/games/<game>/charts/points.svg")
@documented(
    "Draw the score chart",
    operation="getScoreChart",
    scope=GAMES_READ,
    text="Scores by day or round, with one line per player, or per nation if players have several.",
    gives={200: SVG, 304: None},
    problems=("unknown-game", "not-found", "not-started", "too-much-work"),
    parameters=("scheme", "If-None-Match"),
    answer="The chart.",
    headers=("ETag", "Game-Head"),
)
def chart(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    course = access.seated.game.presentation.course
    if course is None:
        raise Problem("not-found", "This kind of game has no score chart.")
    rows = access.rows_without_views()
    access.require_visible(rows.status)
    seq = rows.seen[0]
    scheme = query_choice("scheme", SCHEMES) or "auto"
    variant = f"-{scheme}" if scheme != "auto" else ""
    headers, etag = _headers(access, rows.seq, rows.head, named=False), f'"{seq}-{RELEASE}{variant}"'
    known = not_modified(etag, headers)
    if known is not None:
        return known
    names = _names(access.seated)
    picture = access.compute(lambda reads, facts: points(course, _samples(reads, facts, course, seq), names))
    return _drawn(in_scheme(picture, scheme), etag, headers)


def _headers(access: GameAccess, seq: int, head: str, *, named: bool) -> dict[str, str]:
    """Headers of a picture, which shows public content only. A private game's is not cached publicly."""
    scope = None if access.lobby.visibility != "private" else 0
    keep = immutable_headers(scope) if named else revalidation_headers(scope)
    return {**keep, **GUARD, **head_header(seq, head)}


def _names(seated: SeatedLobby) -> Mapping[str, str]:
    return {str(seat): name for seat, name in seated.names().items()}


def _in_row(row: bytes) -> Mapping[str, object] | None:
    """The newest public part from its row. None if the row is corrupt; it is then computed from the log."""
    try:
        document: Mapping[str, object] = orjson.loads(row)
    except orjson.JSONDecodeError:
        return None
    return document


def _public(reads: ReadContext, facts: GameConfig, seq: int) -> Mapping[str, object]:
    document: Mapping[str, object] = orjson.loads(
        as_bytes(build_public(facts.game.knowledge, position_after(reads, facts, seq)))
    )
    return document


def _samples(reads: ReadContext, facts: GameConfig, course: Course, last: int) -> list[ScoreSample]:
    """The points whenever the game's time advanced, and the current ones."""
    found = []
    for _, commit, position in replay(facts.game, facts.initial_position(), reads.store.log.commits(facts.id, 1, last)):
        wanted = course.every_commit or commit.by == "system" or commit.seq == last
        if position.state is not None and wanted:
            found.append(course.sample(facts.game.knowledge.view(position.state)))
    return found


def _drawn(picture: str | bytes, etag: str, headers: Mapping[str, str], mimetype: str = SVG) -> Response:
    response = Response(picture, mimetype=mimetype)
    response.headers["ETag"] = etag
    response.headers.update(headers)
    return response
