"""The application that gunicorn loads: the API and the browser client, with limits on slow and large requests."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import gevent
from flask import Flask
from gunicorn.errors import AppImportError
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, RequestTimeout

from domain.registry import GAMES
from service import application
from service.console import pages as console
from service.core import tracing
from service.features import FEATURES
from service.ops.metrics.buffered import keep_counting
from service.ops.settings import BadSetting, Settings
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.reading.bodies import prepare
from service.web import site

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PATIENCE = 30.0
"""Seconds to wait for the store at the start. If one worker fails to start, gunicorn stops all of them."""

PAUSE = 0.1
"""Seconds between two attempts to reach the store."""

SEND_SECONDS = 60
"""Seconds in which a reader must take the next piece of a response."""

MOST_UNREAD = 1024 * 1024
"""Bytes of a body that are read and dropped to keep the connection open."""


def app() -> Flask:
    """The application. Raises `AppImportError`, after which gunicorn exits, if another attempt would fail as well.

    Raises `StoreDown` if the store does not answer in time.
    """
    prepare_games()
    keep_counting()
    until = time.monotonic() + PATIENCE
    while True:
        try:
            made = create_app()
        except (StoreUnusable, BadSetting) as error:
            raise AppImportError(f"Error: {error}") from None
        except StoreDown:
            if time.monotonic() >= until:
                raise
            time.sleep(PAUSE)
        else:
            gc.freeze()  # without it, a body of many small arrays makes the collector walk through all of this
            return made


def prepare_games() -> None:
    """Make the readers of all games' events, which takes a while the first time in a process."""
    prepare(GAMES.values())


def create_app() -> Flask:
    """The API over the store that the settings name, and the browser client unless it is disabled."""
    settings = Settings.load()
    tracing.start(FEATURES, settings)
    flask = console.install(site.install(application.create_app(settings=settings), settings))
    flask.wsgi_app = SlowClients(flask.wsgi_app, settings.request_seconds)  # type: ignore[method-assign]
    return flask


class SlowClients:
    """WSGI middleware that limits how long a client may take to send a body and to read a response."""

    def __init__(self, app: WSGIApplication, seconds: float) -> None:
        self._app, self._seconds = app, seconds
        self._send_seconds = max(SEND_SECONDS, 2 * seconds)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["gunicorn.socket"].settimeout(self._send_seconds)
        length = environ.get("CONTENT_LENGTH") or "0"
        if length == "0" and "HTTP_TRANSFER_ENCODING" not in environ:
            return self._app(environ, start_response)
        body = environ["wsgi.input"] = TimedBody(environ["wsgi.input"], self._seconds)
        response = self._app(environ, start_response)
        body.discard(int(length))
        return response


class TimedBody:
    """The body of a request as WSGI input, which must arrive in time."""

    def __init__(self, body: Any, seconds: float) -> None:
        self._body = body
        self._until = time.monotonic() + seconds
        self._read = 0

    def read(self, size: int | None = None) -> bytes:
        """Read as from any file; raises werkzeug's error of a body that is too slow, too large or malformed.

        gunicorn closes the connection after such an error, because it cannot tell where the next request begins.
        """
        try:
            with gevent.Timeout(max(0.001, self._until - time.monotonic()), TimeoutError()):
                data: bytes = self._body.read(size)
        except TimeoutError:
            raise RequestTimeout from None
        except ParseException as error:
            raise BadRequest from error
        self._read += len(data)
        if self._read > MOST_UNREAD:
            self._body.failed = True
            raise RequestEntityTooLarge
        return data

    def discard(self, length: int) -> None:
        """Read what the application left of the body, or have the connection closed if that is too much.

        ``length`` is 0 if it is unknown.
        """
        if 0 < length <= self._read:
            return
        if length > MOST_UNREAD:
            self._body.failed = True
        try:
            while not self._body.failed and self.read(65536):
                pass
        except (BadRequest, RequestEntityTooLarge, RequestTimeout):
            self._body.failed = True
