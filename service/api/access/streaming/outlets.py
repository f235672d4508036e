"""Ways out to whoever listens: the connection itself, written to at once, or a short queue where the server hides it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

MOST_PARTS = 64
"""Parts that wait for a reader at most."""


class Part(NamedTuple):
    """Some bytes of a stream, made once for all who get them."""

    plain: bytes
    chunk: bytes
    """The same as HTTP/1.1 frames a part of a body without length (RFC 9112, 7.1)."""


def part(plain: bytes) -> Part:
    """The bytes as both kinds of connections get them."""
    return Part(plain, b"%X\r\n%b\r\n" % (len(plain), plain))


class Outlet(Protocol):
    """The way out to one reader."""

    @property
    def waits(self) -> bool:
        """Whether a part waits until whoever serves the stream asks for it, who is to be told then."""

    def offer(self, part: Part) -> bool:
        """Hand a part on without waiting; whether the reader keeps up. It is theirs in any case, by `rest` if they do not."""

    def rest(self) -> Iterator[bytes]:
        """What has been offered and is still to be sent, by whoever serves the stream and may wait."""


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
    """Parts go into the connection's buffer at once: nobody is woken for them, which would cost more than to send them.

    Only for a connection whose server has sent the head of the answer and then waits for the next part of its body, and
    that goes on so, in gevent's loop, while anything is offered.
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
        except OSError:  # it takes no more, or it is gone: whoever serves the stream finds out which
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
    """The way out of a request's answer, which has no length and is not compressed."""
    connection, protocol = environ.get("gunicorn.socket"), environ.get("SERVER_PROTOCOL")
    if protocol in ("HTTP/1.0", "HTTP/1.1") and _is_gevents(connection):
        return Connection(connection, chunked=protocol == "HTTP/1.1")
    return Queue()


def _is_gevents(connection: Any) -> bool:
    """Whether it is a plain socket of gevent's (and not, say, one that encrypts)."""
    if connection is None:
        return False
    from gevent import socket

    return type(connection) is socket.socket
