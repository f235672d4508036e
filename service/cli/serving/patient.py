"""Gunicorn's gevent worker with an end to its patience, and with problems where gunicorn has pages of its own.

A request that comes in too slowly, a reader that takes nothing, and a body without end would each hold a connection open
for as long as somebody cares to pay for it.
"""

from __future__ import annotations

import errno
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import gevent
from gunicorn import util
from gunicorn.http import errors, wsgi
from gunicorn.workers.ggevent import GeventWorker
from werkzeug.exceptions import BadRequest, HTTPException, RequestEntityTooLarge, RequestTimeout

from service.cli.serving.one_send import OneSend
from service.cli.serving.plain import Plain, Requests, Whole, in_common

SILENT = 60
"""Seconds in which a reader must take the next piece of an answer."""

MOST_UNREAD = 1024 * 1024
"""Bytes of a body that nobody wants which are read for the sake of the connection."""

LINGER = 1.0
"""Seconds for which we listen after the last word, because closing at once would take the answer away."""


class _TooSlow(Exception):
    """The time is up."""


class PatientBody:
    """A request's body that must have come in by a moment and has an end: WSGI's input."""

    def __init__(self, body: Any, seconds: float) -> None:
        self._body = body
        self._until = time.monotonic() + seconds
        self._read = 0

    @property
    def failed(self) -> bool:
        """Whether nobody knows where the next request begins; the connection is closed then."""
        return bool(self._body.failed)

    def read(self, size: int | None = None) -> bytes:
        return self._timed(self._body.read, size)

    def readline(self, size: int | None = None) -> bytes:
        return self._timed(self._body.readline, size)

    def readlines(self, _size: int | None = None) -> list[bytes]:
        return list(self)

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line

    def _timed(self, read: Callable[[int | None], bytes], size: int | None) -> bytes:
        try:
            with gevent.Timeout(max(0.001, self._until - time.monotonic()), _TooSlow()):
                data = read(size)
            self._read += len(data)
            if self._read > MOST_UNREAD:
                raise RequestEntityTooLarge
        except _TooSlow:
            self._body.failed = True
            raise RequestTimeout from None
        except RequestEntityTooLarge:
            self._body.failed = True
            raise
        except errors.ParseException as error:
            self._body.failed = True
            raise (RequestEntityTooLarge if _endless(error) else BadRequest) from error
        return data


def _endless(error: errors.ParseException) -> bool:
    """Whether a chunk's first line or the trailers went beyond all bounds, and are not merely wrong."""
    if isinstance(error, errors.InvalidChunkSize):
        return b"no terminator" in bytes(error.data)
    return isinstance(error, errors.LimitRequestHeaders)


class PatientWorker(GeventWorker):  # type: ignore[misc]  # gunicorn has no types
    """Serves as gevent's does."""

    def run(self) -> None:
        """Serve until the process is to end."""
        self._seconds = self.cfg.keepalive
        self._silent = max(SILENT, 2 * self._seconds)
        self._base = wsgi.base_environ(self.cfg)
        self._awaited: dict[Any, float] = {}
        super().run()

    def notify(self) -> None:
        """It is called once a second: the only clock for those from whom a request is awaited, who would else need one each."""
        super().notify()
        # Once the process is to end, nobody begins a request: it would wait for all who merely keep a connection open.
        late = time.monotonic() - (self._seconds if self.alive else 0)
        for client, since in [*self._awaited.items()]:
            if since > late:
                return  # those who come after it have been waited for for a shorter time
            with suppress(OSError):
                client._sock.shutdown(socket.SHUT_RD)  # noqa: SLF001 - gevent's would break off what is still to be read

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serve a connection to its end."""
        try:
            self._converse(listener.getsockname(), client, addr)
        except OSError as error:
            if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN):
                self.log.exception("Socket error processing request.")
        except BaseException as error:  # noqa: BLE001 - the process ends, and whoever waits is told
            self.handle_error(None, client, addr, error)
        finally:
            util.close(client)

    def _converse(self, server: Any, client: Any, addr: Any) -> None:
        requests = Requests(self.cfg, client, addr, in_common(self._base, client, addr, server))
        req: Any = None
        try:
            while True:
                req = None
                req = self._next(requests, client)
                self.handle_request(server, req, client, addr)
        except (StopIteration, errors.NoMoreData):
            return
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - whoever asked is told of whatever it is
            self.handle_error(req, client, addr, error)

    def _next(self, requests: Requests, client: Any) -> Any:
        """The next request, whose headers must come in by gunicorn's keep-alive; raises `StopIteration` if there is none."""
        client.settimeout(None)
        self._awaited[client] = time.monotonic()
        try:
            return next(requests)
        finally:
            del self._awaited[client]

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        """Answer it; its body has as long again as its headers had."""
        if type(req.body) is not Whole:
            req.body = PatientBody(req.body, self._seconds)
        sock.settimeout(self._silent)  # reading has its own time, which is less
        try:
            served = self._serve(listener_name, req, sock, addr)
        except TimeoutError:
            raise StopIteration from None  # it is how gunicorn is told to close the connection
        except StopIteration:
            _linger(sock)
            raise
        if req.body.failed:
            _linger(sock)
        return served

    def _serve(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> bool:
        """As gunicorn's own `handle_request`, with an answer that needs one send, and without its log and its hooks."""
        if isinstance(req, Plain):
            response, environ = OneSend(req, sock, self.cfg), req.environ
            environ["wsgi.input"] = req.body
        else:
            response, environ = wsgi.create(req, sock, addr, listener_name, self.cfg, response_class=OneSend)
            environ["wsgi.multithread"] = True
        if not self.alive:
            response.force_close()
        try:
            pieces = self.wsgi(environ, response.start_response)
            try:
                for piece in pieces:
                    response.write(piece)
                response.close()
            finally:
                if hasattr(pieces, "close"):
                    pieces.close()
        except (gevent.GreenletExit, SystemExit):  # the process ends
            return False
        except OSError:
            raise
        except Exception:
            if not response.headers_sent:
                raise
            # Whatever came after the beginning of an answer would be taken for the rest of it.
            self.log.exception("An answer broke off.")
            _shut(sock)
            raise StopIteration from None
        if response.should_close():
            raise StopIteration
        return True

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:  # noqa: ARG002 - the form that gunicorn calls
        """Tell the problem of a request that never came to the app."""
        code = _code(exc)
        if code == "internal":
            self.log.error("A request came to nothing.", exc_info=exc)
        elif isinstance(exc, HTTPException) and req is None:
            return  # what is left of a request that was answered
        _tell(client, code)


def _code(error: BaseException) -> str:
    match error:
        case errors.LimitRequestLine():
            return "uri-too-long"
        case errors.LimitRequestHeaders():
            return "headers-too-large"
        case errors.InvalidResponseHeader() | errors.InvalidResponseHeaderName():
            return "internal"
        case RequestTimeout():
            return "too-slow"
        case RequestEntityTooLarge():
            return "too-large"
        case errors.ParseException() | HTTPException():
            return "bad-request"
        case _:
            return "internal"


def _tell(client: Any, code: str) -> None:
    from service.api.http.problems import CATALOGUE

    status, title = CATALOGUE[code]
    problem = {
        "type": f"urn:oraclewheel:problem:{code}",
        "title": title,
        "status": status,
        "detail": title,
        "code": code,
    }
    body = json.dumps(problem).encode()
    lines = (
        f"HTTP/1.1 {status} {code}",
        "Connection: close",
        "Content-Type: application/problem+json",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        f"Content-Length: {len(body)}",
    )
    with gevent.Timeout(LINGER, False), suppress(OSError):
        client.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    _linger(client)


def _shut(client: Any) -> None:
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
        client.close()


def _linger(client: Any) -> None:
    """Take what is still on its way, and throw it away."""
    with gevent.Timeout(LINGER, False), suppress(OSError):
        client.shutdown(socket.SHUT_WR)
        while client.recv(65536):
            pass
