"""Outputs to listeners: the connection itself, written at once, or a short queue if the server hides it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

MAX_QUEUED_CHUNKS = 64
"""Maximum number of chunks that wait for a client."""


class StreamChunk(NamedTuple):
    """Some bytes of a stream, built once for all recipients."""

    plain: bytes
    framed: bytes
    """The same in HTTP/1.1 chunked framing (RFC 9112, 7.1)."""


def make_chunk(plain: bytes) -> StreamChunk:
    """The bytes for both kinds of connections."""
    return StreamChunk(plain, b"%X\r\n%b\r\n" % (len(plain), plain))


class StreamOutput(Protocol):
    """The output to one client."""

    @property
    def needs_wakeup(self) -> bool:
        """Whether a chunk waits until the serving thread asks for it, which must then be notified."""

    def write(self, chunk: StreamChunk) -> bool:
        """Hand over a chunk without waiting.

        Returns whether the client keeps up; if not, `drain` still delivers the chunk.
        """

    def drain(self) -> Iterator[bytes]:
        """Chunks that are still to be sent, by the serving thread, which may wait."""


class QueuedOutput:
    """Chunks wait until the server asks for the next one."""

    __slots__ = ("_chunks",)
    needs_wakeup = True

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()

    def write(self, chunk: StreamChunk) -> bool:
        self._chunks.append(chunk.plain)
        return len(self._chunks) < MAX_QUEUED_CHUNKS

    def drain(self) -> Iterator[bytes]:
        while self._chunks:
            yield self._chunks.popleft()


class SocketOutput:
    """Chunks go into the connection's buffer at once. Waking a thread for them would cost more than sending them.

    Only for a connection whose server has sent the response's head and waits for the next chunk of its body in gevent's
    loop, as long as anything is offered.
    """

    __slots__ = ("_chunked", "_left", "_socket")
    needs_wakeup = False

    def __init__(self, connection: Any, *, chunked: bool) -> None:
        self._socket, self._chunked = connection, chunked
        self._left = b""

    def write(self, chunk: StreamChunk) -> bool:
        data = chunk.framed if self._chunked else chunk.plain
        try:
            sent = self._socket.send(data, timeout=0.0)
        except OSError:  # it takes no more, or it is gone: the serving thread will find out
            sent = 0
        if sent == len(data):
            return True
        self._left = data[sent:]
        return False

    def drain(self) -> Iterator[bytes]:
        left, self._left = self._left, b""
        if left:
            self._socket.sendall(left)
        return iter(())


def open_output(environ: Mapping[str, Any]) -> StreamOutput:
    """The output for a request's response, which has no length and is not compressed."""
    connection, protocol = environ.get("gunicorn.socket"), environ.get("SERVER_PROTOCOL")
    if protocol in ("HTTP/1.0", "HTTP/1.1") and _is_gevent_socket(connection):
        return SocketOutput(connection, chunked=protocol == "HTTP/1.1")
    return QueuedOutput()


def _is_gevent_socket(connection: Any) -> bool:
    """Whether it is a plain gevent socket (and not, for example, an encrypting one)."""
    if connection is None:
        return False
    from gevent import socket

    return type(connection) is socket.socket
