"""The one question that everybody asks all the time, *has my view changed?*, answered before Flask unpacks the request.

Nothing is decided here that is not decided in `service.api.resources.view`: whatever is not as usual goes there, and a test holds the
answers of both against each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from domain import RELEASE
from domain.terms import GameId, PlayerId, Seat
from service.api.access.auth import READ, has_scope, is_member
from service.api.context.app import AppContext, lowest_seq
from service.api.http.answers import HEAD, OWN, has_tag, view_body
from service.api.limits.rates import network

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BEFORE, AFTER = "/v1/games/", "/view"
RULE = "/v1/games/<game>/view"
Answer = tuple[str, list[tuple[str, str]], bytes]


class ViewFastPath:
    """WSGI around the app: answers views itself where it can, and hands everything else on."""

    def __init__(self, app: WSGIApplication, context: AppContext) -> None:
        self._app, self._context = app, context
        self._vary = "Authorization, Origin" if context.settings.cors_origins else "Authorization"

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path.endswith(AFTER) and path.startswith(BEFORE):
            began = time.perf_counter()
            answer = self._view(path[len(BEFORE) : -len(AFTER)], environ)
            if answer is not None:
                status, headers, body = answer
                self._context.requests.answered("GET", RULE, int(status[:3]), time.perf_counter() - began)
                start_response(status, headers)
                return (body,)
        return self._app(environ, start_response)

    def _view(self, game_id: GameId, environ: WSGIEnvironment) -> Answer | None:
        """Status, headers and body if all is as usual: a started game, a remembered token (or none), the newest view; else None."""
        if (
            environ["REQUEST_METHOD"] != "GET"
            or environ.get("QUERY_STRING")
            or "HTTP_ORIGIN" in environ
            or "HTTP_GAME_HEAD" in environ
        ):
            return None
        context = self._context
        seated = context.lobby_cache.cached(game_id)
        if seated is None:
            return None
        player_id = None
        authorization = environ.get("HTTP_AUTHORIZATION")
        if authorization is not None:
            credential = context.tokens.cached(authorization[7:]) if authorization.startswith("Bearer ") else None
            if credential is None or not has_scope(credential, READ):
                return None
            player_id = credential.player
        if player_id is not None and seated.lobby.seating.sits_in(player_id):
            return None  # from when to when, the ordinary way knows
        if seated.lobby.visibility == "private" and not is_member(seated.lobby, player_id, context.store.log.now):
            return None
        try:
            limit = context.limits.take(player_id or network(environ.get("REMOTE_ADDR", "")))
            return self._answer(game_id, seated.lobby.seat_of(player_id), player_id, limit, environ)
        except Exception:  # noqa: BLE001 - whatever it is, the ordinary way meets it too and knows how to tell it
            return None

    def _answer(
        self,
        game_id: GameId,
        seat: Seat | None,
        player_id: PlayerId | None,
        limit: str | None,
        environ: WSGIEnvironment,
    ) -> Answer | None:
        known = environ.get("HTTP_IF_NONE_MATCH")
        own = () if seat is None else (seat,)
        # Who holds a view already needs to see it only where it has changed.
        rows = self._context.store.log.rows(game_id, own, views=known is None)
        if rows is None or rows.release != RELEASE or not rows.seen:
            return None
        seen = rows.seen[seat or 0]
        etag = f'"{seen}"'
        headers: list[tuple[str, Any]] = [
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-cache" if player_id is None else OWN),
            ("Vary", self._vary),
            (HEAD, f"{rows.seq} {rows.head}"),
            ("ETag", etag),
        ]
        if limit is not None:
            headers += [("RateLimit", limit), ("RateLimit-Policy", self._context.limits.policy)]
        if known is not None:
            if has_tag(known, etag):
                return "304 NOT MODIFIED", headers, b""
            if lowest_seq(known) > rows.seq:
                return None
            newer = self._context.store.log.rows(game_id, own)
            if newer is None or newer.release != RELEASE or newer.head != rows.head:
                return None
            rows = newer
        body = view_body(seen, rows.public, b"null" if seat is None else rows.private[seat])
        headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        return "200 OK", headers, body
