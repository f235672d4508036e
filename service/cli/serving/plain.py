"""Requests as nearly all of them are, read at a glance; of any other gunicorn's parser says what it is or what is wrong with it."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from gunicorn import util
from gunicorn.http.body import Body, LengthReader
from gunicorn.http.parser import RequestParser

LONGEST = 8190
"""Bytes of a head that is read here, which is gunicorn's limit for one of its lines."""

_PLAIN = re.compile(
    rb"""(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ ]
    ((/(?:[!"$-.0->@-~][!"$->@-~]*)?)(?:\?([!"$-~]*))?)[ ]HTTP/1\.1\r\n
    ((?:[A-Za-z0-9-]+:[ \t]*(?:[!-~][\t -~]*)?\r\n){1,64})\r\n""",
    re.VERBOSE,
)
"""Method, target (path and query), and header lines: nothing that two readers could take in two ways."""

_ODD = frozenset(
    {
        *("HTTP_TRANSFER_ENCODING", "HTTP_TRAILER", "HTTP_EXPECT", "HTTP_UPGRADE", "HTTP_HTTP2_SETTINGS"),
        *("HTTP_X_FORWARDED_PROTOCOL", "HTTP_X_FORWARDED_SSL"),
    }
)
"""What changes how a request is read or answered, and is rare."""
_SCHEME, _CONNECTION, _LENGTH = "HTTP_X_FORWARDED_PROTO", "HTTP_CONNECTION", "CONTENT_LENGTH"

_NAMES: dict[str, str] = {"content-type": "CONTENT_TYPE", "content-length": _LENGTH}
"""The names of headers that have come in, as WSGI has them."""
_MOST_NAMES = 1000
_MOST_DIGITS = 18


class Whole(BytesIO):
    """A body that has come in with its head."""

    failed = False


class Plain:
    """A request, which is to whoever answers it what gunicorn's `Request` would be."""

    __slots__ = ("_closes", "body", "environ", "method")
    version = (1, 1)

    def __init__(self, method: str, environ: dict[str, Any], body: Any, *, closes: bool) -> None:
        self.method, self.environ, self.body, self._closes = method, environ, body, closes

    def should_close(self) -> bool:
        """Whether the client wants no more on this connection."""
        return self._closes


class Requests(RequestParser):  # type: ignore[misc]  # gunicorn has no types
    """The requests of a connection, one after the other: `Plain`, or gunicorn's own where one is not."""

    mesg: Any
    unreader: Any

    def __init__(self, cfg: Any, sock: Any, address: Any, common: Mapping[str, Any] | None) -> None:
        """``common`` is what the environs of all requests of the connection have in common; without, none is plain."""
        super().__init__(cfg, sock, address)
        self._common = common
        self._trusted: bool | None = None
        self._longest_line = cfg.limit_request_line

    def __next__(self) -> Any:
        if self.mesg is not None and (self.mesg.should_close() or not self.finish_body()):
            raise StopIteration
        self.mesg = None
        if self._common is not None:
            data = self.unreader.take_buffered() or self.unreader.chunk()
            if not data:
                raise StopIteration
            self.mesg = self._plain(data)
            if self.mesg is not None:
                return self.mesg
            self.unreader.unread(data)
        return super().__next__()

    def finish_body(self, deadline: float | None = None, max_bytes: int | None = None) -> bool:
        """See gunicorn's; there is nothing left on the connection of a body that came in whole."""
        if self.mesg is None or type(self.mesg.body) is Whole:
            return True
        finished: bool = super().finish_body(deadline, max_bytes)
        return finished

    def _plain(self, data: bytes) -> Plain | None:
        """The request that these bytes begin with, of whose body more may follow; None if it is not plain, or not all of the head."""
        found = _PLAIN.match(data)
        if found is None or found.end() > LONGEST or found.start(5) - 2 > self._longest_line:
            return None
        head = data[: found.end()].decode("ascii")
        environ = self._environ(head, found)
        if environ is None:
            return None
        connection = environ.get(_CONNECTION)
        closes = connection is not None and connection.lower() == "close"
        length = environ.get(_LENGTH, "0")
        if not length.isdecimal() or len(length) > _MOST_DIGITS:
            return None
        body = environ["wsgi.input"] = self._body(data, found.end(), int(length))
        return Plain(environ["REQUEST_METHOD"], environ, body, closes=closes)

    def _environ(self, head: str, found: re.Match[bytes]) -> dict[str, Any] | None:
        """WSGI's environ; None if a header comes twice, or one of those that change the meaning of what follows."""
        method, target, path, query, lines = (head[slice(*found.span(group))] for group in range(1, 6))
        environ = {**(self._common or {})}
        environ["REQUEST_METHOD"], environ["RAW_URI"], environ["QUERY_STRING"] = method, target, query
        environ["PATH_INFO"] = util.unquote_to_wsgi_str(path) if "%" in path else path
        for line in lines.split("\r\n")[:-1]:
            name, _, value = line.partition(":")
            key = _NAMES.get(name) or _named(name)
            if key in environ:
                return None
            environ[key] = value.strip(" \t")
        if not _ODD.isdisjoint(environ):
            return None
        if _SCHEME in environ and self._is_trusted():
            environ["wsgi.url_scheme"] = "https" if environ[_SCHEME] == "https" else "http"
        return environ

    def _body(self, data: bytes, begin: int, length: int) -> Any:
        rest = data[begin:]
        if len(rest) >= length:
            if len(rest) > length:
                self.unreader.unread(rest[length:])
            return Whole(rest[:length])
        self.unreader.unread(rest)
        return Body(LengthReader(self.unreader, length))

    def _is_trusted(self) -> bool:
        """Whether the other side may say by which scheme the client came to it."""
        if self._trusted is None:
            here = ipaddress.ip_address(self.source_addr[0])
            networks = self.cfg.forwarded_allow_networks()
            self._trusted = "*" in self.cfg.forwarded_allow_ips or any(here in network for network in networks)
        return self._trusted


def in_common(base: Mapping[str, Any], sock: Any, address: Any, server: Any) -> dict[str, Any] | None:
    """What the environs of all plain requests of a connection have in common; None where they come by unusual ways."""
    if not (isinstance(address, tuple) and isinstance(server, tuple)) or os.environ.get("SCRIPT_NAME"):
        return None
    return {
        **base,
        "wsgi.multithread": True,
        "wsgi.url_scheme": "http",
        "gunicorn.socket": sock,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": address[0],
        "REMOTE_PORT": str(address[1]),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SCRIPT_NAME": "",
    }


def _named(name: str) -> str:
    """A header's name as WSGI has it; it is remembered as it was written, but not without end."""
    key = _NAMES.get(name.lower()) or "HTTP_" + name.upper().replace("-", "_")
    if len(_NAMES) < _MOST_NAMES:
        _NAMES[name] = key
    return key
