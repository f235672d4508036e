"""Acknowledging responses are sent when enough replicas have the write (ORACLEWHEEL_REPLICAS).

These are responses to requests that change something, and results of commands. A client is never told of anything that
a failover could still lose.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask, Response, request

from service.core.http.problems import not_replicated_problem
from service.store.ports.errors import NotReplicated
from service.store.redis.store import Store

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_GAME, _OUTCOME = "/v1/games/", "/commands/"


class ConnectionTracking:
    """WSGI wrapper that records the store's connections used for an acknowledging response."""

    def __init__(self, app: WSGIApplication, store: Store) -> None:
        self._app, self._store = app, store

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not is_acknowledgment(environ["REQUEST_METHOD"], environ["PATH_INFO"]):
            return self._app(environ, start_response)
        with self._store.noting():
            return self._app(environ, start_response)


def install(app: Flask, store: Store) -> None:
    """Make the app's responses wait for replicas, if any are required."""
    if not store.replicas:
        return
    app.wsgi_app = ConnectionTracking(app.wsgi_app, store)  # type: ignore[method-assign]

    @app.after_request
    def wait(response: Response) -> Response:
        # A refusal by the rules is a commit too, and shows its head.
        acknowledges = response.status_code < 400 or "Game-Head" in response.headers
        if acknowledges and is_acknowledgment(request.method, request.path):
            try:
                store.hold()
            except NotReplicated as error:
                return not_replicated_problem(error).response()
        return response


def is_acknowledgment(method: str, path: str) -> bool:
    """Whether a response to this request, unless it is an error, acknowledges a write."""
    return method not in _READ_METHODS or (path.startswith(_GAME) and _OUTCOME in path)
