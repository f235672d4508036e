"""Commands, which players send all the time, from the socket to the store and back without Flask in between.

Nothing is decided here that is not decided in `service.api.resources.commands`: whatever is not as usual goes there before anything
is done, whatever goes wrong later is told by Flask's own handlers, and a test holds the answers of both against each other.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from flask import Flask, g

from domain.terms import GameId
from service.api.access.auth import PLAY, GameAccess, has_scope
from service.api.access.ids import command_id
from service.api.access.sending import Sending, sending_of, sent
from service.api.context.app import AppContext
from service.api.http.answers import LONGEST_KEY, Told, seq_in, wait_in
from service.api.http.request_ids import KEY
from service.api.limits.rates import network
from service.api.schemas.commands import plainly_right
from service.api.schemas.requests import LARGEST_BODY

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BEFORE, AFTER = "/v1/games/", "/commands"
RULE = "/v1/games/<game>/commands"
STATUS = {200: "200 OK", 202: "202 ACCEPTED"}
_UNUSUAL = frozenset({"HTTP_GAME_HEAD", "HTTP_TRANSFER_ENCODING", "HTTP_CONTENT_ENCODING"})


class Usual(NamedTuple):
    """A request in which all is as usual."""

    access: GameAccess
    sending: Sending
    seconds: int | None
    """How long the sender would rather wait (Prefer)."""
    limit: str | None
    """The value of the `RateLimit` header."""


class CommandFastPath:
    """WSGI around the app: takes commands in itself where it can, and hands everything else on."""

    def __init__(self, app: WSGIApplication, flask: Flask, context: AppContext) -> None:
        self._app, self._flask, self._context = app, flask, context
        self._origins = bool(context.settings.cors_origins)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] == "POST" and path.endswith(AFTER) and path.startswith(BEFORE):
            began = time.perf_counter()
            usual = self._usual(path[len(BEFORE) : -len(AFTER)], environ)
            if usual is not None:
                return self._sent(usual, began, environ, start_response)
        return self._app(environ, start_response)

    def _usual(self, game_id: GameId, environ: WSGIEnvironment) -> Usual | None:
        """What is asked, if all is as usual: a started game, a remembered token that plays there, a command of a plain form."""
        length, authorization = environ.get("CONTENT_LENGTH", ""), environ.get("HTTP_AUTHORIZATION", "")
        seated = self._context.lobby_cache.cached(game_id)
        if (
            seated is None
            or environ.get("QUERY_STRING")
            or not _UNUSUAL.isdisjoint(environ)
            or (self._origins and "HTTP_ORIGIN" in environ)
            or not (length.isascii() and length.isdecimal() and int(length) <= LARGEST_BODY)
            or not authorization.startswith("Bearer ")
        ):
            return None
        credential = self._context.tokens.cached(authorization[7:])
        if credential is None or not has_scope(credential, PLAY):
            return None
        seats = seated.seats.get(credential.player)
        if not seats:
            return None
        key = environ.get("HTTP_IDEMPOTENCY_KEY")
        if key is not None and not 1 <= len(key := key.strip()) <= LONGEST_KEY:
            return None
        try:
            said = plainly_right(seated.game, orjson.loads(_body(environ, int(length))))
            if said is None:
                return None
            id_ = command_id(game_id, credential.player, key)
            tenure = seated.lobby.seating.tenure(seats[0])
            sending = sending_of(credential, seats[0], said, id_, seq_in(environ.get("HTTP_IF_MATCH")), tenure)
            address = network(environ.get("REMOTE_ADDR", ""))
            access = GameAccess(self._context, seated, credential, seats[0], None, None, address)
            prefer = environ.get("HTTP_PREFER")
            seconds = None if prefer is None else wait_in((prefer,))
            return Usual(access, sending, seconds, self._context.limits.take(credential.player))
        except Exception:  # noqa: BLE001 - whatever it is, the ordinary way meets it too and knows how to tell it
            return None

    def _sent(
        self, usual: Usual, began: float, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        try:
            told = sent(usual.access, usual.sending, usual.seconds, environ.get(KEY, ""))
            body = told.body()
            self._context.store.hold()
        except Exception as error:  # noqa: BLE001 - Flask's handlers know how to tell it
            return self._gone_wrong(error, usual, began, environ)(environ, start_response)
        self._context.requests.answered("POST", RULE, told.status, time.perf_counter() - began)
        start_response(STATUS[told.status], self._headers(told, usual, len(body)))
        return (body,)

    def _headers(self, told: Told, usual: Usual, length: int) -> list[tuple[str, Any]]:
        headers: list[tuple[str, Any]] = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(length)),
            ("Cache-Control", "no-store"),
            *told.headers.items(),
            ("X-Content-Type-Options", "nosniff"),
        ]
        if usual.limit is not None:
            headers += [("RateLimit", usual.limit), ("RateLimit-Policy", self._context.limits.policy)]
        if self._origins:
            headers.append(("Vary", "Origin"))
        return headers

    def _gone_wrong(self, error: Exception, usual: Usual, began: float, environ: WSGIEnvironment) -> WSGIApplication:
        """What Flask would have answered to this request, had it raised this there."""
        flask = self._flask
        with flask.request_context(environ):
            flask.preprocess_request()
            g.arrived, g.limit = began, usual.limit
            return flask.process_response(flask.make_response(flask.handle_user_exception(error)))


def _body(environ: WSGIEnvironment, length: int) -> bytes:
    """The body, which whoever reads the request after us finds again."""
    body: bytes = environ["wsgi.input"].read(length)
    environ["wsgi.input"] = io.BytesIO(body)
    return body
