"""Every request has an id: from ``X-Request-Id``, else the ids of trace and span in ``traceparent``, or generated.

The response and every log line contain it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import request
from structlog.contextvars import bind_contextvars

from service.store.ports.waiting import REQUEST_NAME

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HEADER = "X-Request-Id"
KEY = "oraclewheel.request_id"

TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(-.*)?")
"""The header of W3C Trace Context, with the ids of the trace and of the caller's span."""


class RequestIds:
    """WSGI wrapper that sets the request's id before anything else."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        if not given and (trace := TRACEPARENT.fullmatch(environ.get("HTTP_TRACEPARENT", ""))):
            given = f"{trace[1]}-{trace[2]}"
        # An id that is unsafe for logs does not justify an error: it is replaced.
        id_ = environ[KEY] = given if given and REQUEST_NAME.fullmatch(given) else secrets.token_hex(8)
        bind_contextvars(request_id=id_)  # replaces the last one's; nothing else is ever bound

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            return start_response(status, [*headers, (HEADER, id_)], exc_info)

        return self._app(environ, start)


def request_id() -> str:
    """The id of this request."""
    name: str = request.environ.get(KEY, "")
    return name
