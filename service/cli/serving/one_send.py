"""An answer of gunicorn's whose head goes out with the first piece of its body, in one call of the system."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from gunicorn import util
from gunicorn.http.message import TOKEN_RE
from gunicorn.http.wsgi import HEADER_VALUE_RE, Response


class OneSend(Response):  # type: ignore[misc]  # gunicorn has no types
    """As gunicorn's, where the length of the body is not known beforehand; else head and body leave together.

    Each send may wake the reader: of one who gets the head alone the first look is in vain.
    """

    headers_sent: bool
    response_length: int | None
    sent: int
    headers: list[tuple[str, str]]

    def process_headers(self, headers: Iterable[tuple[str, str]]) -> None:
        """As gunicorn's, which looks at each header six times: names are few, and of the values any wrong character is seen in all at once."""
        headers = [*headers]
        kinds = [_kind(name) for name, _ in headers]
        lengths = kinds.count("length")
        if "odd" in kinds or lengths > 1 or not HEADER_VALUE_RE.fullmatch("".join([value for _, value in headers])):
            super().process_headers(headers)
            return
        self.headers += [(name, value.strip(" \t")) for name, value in headers]
        if lengths:
            self.response_length = int(self.headers[kinds.index("length") - len(headers)][1])

    def write(self, arg: bytes) -> None:
        """Send a piece of the body, and before the first one the head."""
        if self.headers_sent or self._omits_body or self.response_length is None or len(arg) > self.response_length:
            super().write(arg)
            return
        head = "".join([*self.default_headers(), *(f"{name}: {value}\r\n" for name, value in self.headers), "\r\n"])
        self.headers_sent = True
        self.sent += len(arg)
        send_all(self.sock, head.encode("latin-1") + arg)

    def default_headers(self) -> list[str]:
        """The lines that every head begins with, as gunicorn writes them."""
        if self.upgrade or self.chunked:
            lines: list[str] = super().default_headers()
            return lines
        major, minor = self.req.version
        connection = "close" if self.should_close() else "keep-alive"
        return [
            f"HTTP/{major}.{minor} {self.status}\r\n",
            f"Server: {self.version}\r\n",
            f"Date: {_date(int(time.time()))}\r\n",
            f"Connection: {connection}\r\n",
        ]


@lru_cache(maxsize=512)
def _kind(name: str) -> str:
    """What gunicorn would make of a header with this name: ``odd``, where it may refuse or leave it out."""
    if not TOKEN_RE.fullmatch(name) or util.is_hoppish(name):
        return "odd"
    return "length" if name.lower() == "content-length" else "plain"


@lru_cache(maxsize=2)
def _date(now: int) -> str:
    """The date of a second, which many answers share."""
    return str(util.http_date(now))


def send_all(sock: Any, data: bytes) -> None:
    """Send it, nearly always in one piece: gevent's `sendall` asks the socket for its buffer's size each time."""
    sent = sock.send(data)
    if sent < len(data):
        sock.sendall(memoryview(data)[sent:])
