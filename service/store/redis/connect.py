"""One Redis server: commands, pipelines and scripts, with every failure of the connection told as `StoreDown`."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import hiredis
import redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    ClusterDownError,
    MasterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)
from redis.retry import Retry

from service.store.ports.errors import StoreDown

_DOWN = (OutOfMemoryError, ReadOnlyError, ClusterDownError, MasterDownError, TryAgainError)
_DOWN_WORDS = ("MISCONF", "NOREPLICAS", "BUSY", "UNKILLABLE")
"""Beginnings of error replies that are about the state of the server and not about the call."""
_AWAY = (redis.ConnectionError, redis.TimeoutError, OSError)
_PATIENCE = 5.0
"""Seconds to wait for a connection when all are in use."""
_FRESH = 0.1
"""Seconds within which a connection is used again unlooked at."""


_FORKS = [0]
"""How often this process was forked off another: connections of before belong to that one."""
os.register_at_fork(after_in_child=lambda: _FORKS.__setitem__(0, _FORKS[0] + 1))


class Script:
    """A Lua script from the file of its name; it is called by the hash of its text."""

    def __init__(self, name: str) -> None:
        self.text = (Path(__file__).parent / "lua" / f"{name}.lua").read_text()
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        self.name = f"{name}-{self.sha[:12]}"


class Wire:
    """Calls to one server over connections that are kept and shared, for threads and greenlets alike.

    Replies are Redis' own: bytes, ints, lists, None. A call is sent once and never repeated behind the caller's back.
    """

    def __init__(self, url: str, connections: int = 64) -> None:
        self.url = url
        self._pool: Any = redis.ConnectionPool.from_url(
            url,
            protocol=2,
            socket_timeout=10,
            socket_connect_timeout=5,
            retry=Retry(NoBackoff(), 0),
            driver_info=None,
        )
        self._connections = connections
        self._renew()

    def one(self, *command: Any) -> Any:
        """The reply to one command; raises `StoreDown`, or redis-py's ``ResponseError``."""
        reply = self.many([command])[0]
        if isinstance(reply, ResponseError):
            raise reply
        return reply

    def now(self) -> int:
        """The server's clock, in milliseconds of Unix time."""
        seconds, micros = self.one("TIME")
        return int(seconds) * 1000 + int(micros) // 1000

    def many(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """The replies to many commands in one round trip, error replies among them."""
        if not commands:
            return []
        connection = self._take()
        try:
            _send(connection, _packed(commands))
            replies = [_reply(connection) for _ in commands]
        except _AWAY as error:
            self._drop(connection)
            self._drop_idle()
            raise StoreDown(str(error)) from error
        except BaseException:
            # Replies may still be on their way: no other call must read them as its own.
            self._drop(connection)
            raise
        self._idle.append((connection, time.monotonic()))
        self._free.release()
        for reply in replies:
            if isinstance(reply, ResponseError) and _is_down(reply):
                raise StoreDown(str(reply)) from reply
        return replies

    def all(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """As `many`, raising the first error reply."""
        replies = self.many(commands)
        for reply in replies:
            if isinstance(reply, ResponseError):
                raise reply
        return replies

    def call(self, script: Script, keys: Sequence[str], arguments: Iterable[Any] = ()) -> Any:
        """The reply of a script."""
        return self.calls(script, [(keys, arguments)])[0]

    def calls(self, script: Script, each: Sequence[tuple[Sequence[str], Iterable[Any]]]) -> list[Any]:
        """The replies of many calls of a script in one round trip; a server that does not know it yet is taught."""
        replies = self.tried(script, each)
        for reply in replies:
            if isinstance(reply, ResponseError):
                raise reply
        return replies

    def tried(self, script: Script, each: Sequence[tuple[Sequence[str], Iterable[Any]]]) -> list[Any]:
        """As `calls`, with error replies among the others: what is wrong with one game is no other's business."""
        commands = [("EVALSHA", script.sha, len(keys), *keys, *arguments) for keys, arguments in each]
        replies = self.many(commands)
        unknown = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:
            self.one("SCRIPT", "LOAD", script.text)
            for place, reply in zip(unknown, self.many([commands[place] for place in unknown]), strict=True):
                replies[place] = reply
        return replies

    def connection(self) -> Any:
        """A connection of one's own, for subscriptions (redis-py's ``Connection``); raises its errors."""
        connection = self._pool.connection_class(**self._pool.connection_kwargs)
        connection.connect()
        return connection

    def close(self) -> None:
        self._drop_idle()
        self._pool.disconnect()

    def _renew(self) -> None:
        self._forks = _FORKS[0]
        self._idle: deque[tuple[Any, float]] = deque()
        self._free = threading.Semaphore(self._connections)

    def _take(self) -> Any:
        """A connection of this process that nobody else uses."""
        if self._forks != _FORKS[0]:
            self._renew()
        if not self._free.acquire(timeout=_PATIENCE):
            raise StoreDown("all connections to the store are in use")
        try:
            while self._idle:
                connection, used = self._idle.pop()
                if time.monotonic() - used < _FRESH or not _is_stale(connection):
                    return connection
                connection.disconnect()
            connection = self.connection()
        except IndexError:
            # Another thread took the last idle one.
            self._free.release()
            return self._take()
        except _AWAY as error:
            self._free.release()
            raise StoreDown(str(error)) from error
        except BaseException:
            self._free.release()
            raise
        return connection

    def _drop(self, connection: Any) -> None:
        connection.disconnect()
        self._free.release()

    def _drop_idle(self) -> None:
        """The server is or was away: connections of before are no use."""
        while self._idle:
            with suppress(IndexError):
                self._idle.pop()[0].disconnect()


def _packed(commands: Sequence[Sequence[Any]]) -> bytes:
    """Commands as they are sent, in one piece; redis-py's own way looks at each argument twice more."""
    return b"".join([hiredis.pack_command(tuple(command)) for command in commands])


def _send(connection: Any, packed: bytes) -> None:
    """Send it, nearly always in one call: gevent's `sendall`, which redis-py uses, asks for the size of the buffer each time."""
    sock = connection._sock  # noqa: SLF001 - redis-py hands it out nowhere
    if sock is None:
        raise redis.ConnectionError("the connection was closed")
    sent = sock.send(packed)
    if sent < len(packed):
        sock.sendall(memoryview(packed)[sent:])


def _is_down(reply: ResponseError) -> bool:
    return isinstance(reply, _DOWN) or str(reply).startswith(_DOWN_WORDS)


def _is_stale(connection: Any) -> bool:
    """Whether the server has closed it, or something lies in it that nobody has asked for."""
    try:
        return bool(connection.can_read(0))
    except _AWAY:
        return True


def _reply(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error
