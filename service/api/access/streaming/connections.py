"""Outputs to listeners: the connection itself, written at once, or a short queue if the server hides it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

MOST_PARTS = 64
"""Maximum number of parts that wait for a client."""


class Part(NamedTuple):
    """Some bytes of a stream, built once for all recipients."""

    plain: bytes
    chunk: bytes
    """The same in HTTP/1.1 chunked framing (RFC 9112, 7.1)."""


def part(plain: bytes) -> Part:
    """The bytes for both kinds of connections."""
    return Part(plain, b"%X\r\n%b\r\n" % (len(plain), plain))


class Outlet(Protocol):
    """The output to one client."""

    @property
    def waits(self) -> bool:
        """Whether a part waits until the serving thread asks for it, which must then be notified."""

    def offer(self, part: Part) -> bool:
        """Hand over a part without waiting.

        Returns whether the client keeps up; if not, `rest` still delivers the part.
        """

    def rest(self) -> Iterator[bytes]:
        """Offered parts that are still to be sent, by the serving thread, which may wait."""


class Queue:
    """Parts wait until the server asks for the next one."""

    __slots__ = ("_parts",)
    waits = True

    def __init__(self) -> None:
        self._parts: deque[bytes] = deque()

    def offer(self, part: Part) -> bool:
        self._parts.append(part.plain)
        return len(self._parts) < MOST_PARTS

    def rest(self) -> Iterator[bytes]:
        while self._parts:
            yield self._parts.popleft()


class Connection:
    """Parts go into the connection's buffer at once. Waking a thread for them would cost more than sending them.

    Only for a connection whose server has sent the response's head and waits for the next part of its body in gevent's
    loop, as long as anything is offered.
    """

    __slots__ = ("_chunked", "_left", "_socket")
    waits = False

    def __init__(self, connection: Any, *, chunked: bool) -> None:
        self._socket, self._chunked = connection, chunked
        self._left = b""

    def offer(self, part: Part) -> bool:
        data = part.chunk if self._chunked else part.plain
        try:
            sent = self._socket.send(data, timeout=0.0)
        except OSError:  # it takes no more, or it is gone: the serving thread will find out
            sent = 0
        if sent == len(data):
            return True
        self._left = data[sent:]
        return False

    def rest(self) -> Iterator[bytes]:
        left, self._left = self._left, b""
        if left:
            self._socket.sendall(left)
        return iter(())


def outlet(environ: Mapping[str, Any]) -> Outlet:
    """The output for a request's response, which has no length and is not compressed."""
    connection, protocol = environ.get("gunicorn.socket"), environ.get("SERVER_PROTOCOL")
    if protocol in ("HTTP/1.0", "HTTP/1.1") and _is_gevents(connection):
        return Connection(connection, chunked=protocol == "HTTP/1.1")
    return Queue()


def _is_gevents(connection: Any) -> bool:
    """Whether it is a plain gevent socket (and not, for example, an encrypting one)."""
    if connection is None:
        return False
    from gevent import socket

    return type(connection) is socket.socket
