"""What is said over a connection to the server and heard from it, by hiredis alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hiredis
import redis
from redis._parsers.hiredis import NOT_ENOUGH_DATA
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from service.store.ports.errors import StoreDown

AWAY = (redis.ConnectionError, redis.TimeoutError, OSError)
"""What is raised where the server cannot be reached."""
_DOWN = (OutOfMemoryError, ReadOnlyError, ClusterDownError, MasterDownError, TryAgainError, MovedError, AskError)
_DOWN_WORDS = ("MISCONF", "NOREPLICAS", "BUSY ", "UNKILLABLE")
"""Beginnings of error replies that are about the state of the server and not about the call."""


class NotConnected(redis.ConnectionError):
    """No connection could be made; nothing was sent."""


def pack(commands: Sequence[Sequence[Any]]) -> bytes:
    """Commands as they are sent, in one piece; redis-py's own way looks at each argument twice more."""
    return b"".join([hiredis.pack_command(tuple(command)) for command in commands])


def send(connection: Any, packed: bytes) -> None:
    """Send it, nearly always in one call: gevent's `sendall`, which redis-py uses, asks for the size of the buffer each time."""
    sock = connection._sock  # noqa: SLF001 - redis-py hands it out nowhere
    if sock is None:
        raise redis.ConnectionError("the connection was closed")
    sent = sock.send(packed)
    if sent < len(packed):
        sock.sendall(memoryview(packed)[sent:])


def is_down(reply: ResponseError) -> bool:
    """Whether it is about the state of the server, and not about the call."""
    return isinstance(reply, _DOWN) or str(reply).startswith(_DOWN_WORDS)


def is_stale(connection: Any) -> bool:
    """Whether the server has closed it, or something lies in it that nobody has asked for."""
    try:
        return bool(connection.can_read(0))
    except AWAY:
        return True


def hear(connection: Any, count: int) -> list[Any]:
    """So many replies, error replies among them, as hiredis hands them out: redis-py looks at each three times more."""
    sock, parser = connection._sock, connection._parser  # noqa: SLF001 - redis-py hands them out nowhere
    reader, buffer = parser._reader, parser._buffer  # noqa: SLF001
    if sock is None or reader is None:
        raise redis.ConnectionError("the connection was closed")
    heard: list[Any] = []
    while len(heard) < count:
        reply = reader.gets()
        if reply is not NOT_ENOUGH_DATA:
            if isinstance(reply, redis.ConnectionError):  # it is still loading, or has too many clients
                raise reply
            heard.append(reply)
            continue
        came = sock.recv_into(buffer)
        if not came:
            raise redis.ConnectionError("the server closed the connection")
        reader.feed(buffer, 0, came)
    return heard


def sound(replies: list[Any]) -> list[Any]:
    """The replies; raises the first error among them."""
    for reply in replies:
        if isinstance(reply, ResponseError):
            raise reply
    return replies


def up(replies: list[Any]) -> list[Any]:
    """The replies; raises `StoreDown` where one says that the server cannot answer now."""
    for reply in replies:
        if isinstance(reply, ResponseError) and is_down(reply):
            raise StoreDown(str(reply)) from reply
    return replies
