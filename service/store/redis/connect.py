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
from redis._parsers.hiredis import NOT_ENOUGH_DATA
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
        self._database: int = self._pool.connection_kwargs.get("db", 0)
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
            replies = _replies(connection, len(commands))
        except _AWAY as error:
            self._drop(connection)
            self._drop_idle()
            raise StoreDown(str(error)) from error
        except BaseException:
            # Replies may still be on their way: no other call must read them as its own.
            self._drop(connection)
            raise
        self._give_back(connection)
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

    def channel(self, name: str, number: int) -> str:
        """A channel of this database alone; the server itself makes no difference between its databases there."""
        return f"{name}{self._database}:{number}"

    def close(self) -> None:
        self._drop_idle()
        self._pool.disconnect()

    def _renew(self) -> None:
        self._forks = _FORKS[0]
        self._idle: deque[tuple[Any, float]] = deque()
        self._open, self._wanting = 0, 0
        self._room = threading.Condition()

    def _take(self) -> Any:
        """A connection of this process that nobody else uses; nearly always an idle one, for which nothing is locked."""
        if self._forks != _FORKS[0]:
            self._renew()
        while True:
            try:
                connection, used = self._idle.pop()
            except IndexError:
                if self._may_open():
                    break
                continue
            if time.monotonic() - used < _FRESH or not _is_stale(connection):
                return connection
            self._drop(connection)
        try:
            return self.connection()
        except BaseException as error:
            self._closed()
            if isinstance(error, _AWAY):
                raise StoreDown(str(error)) from error
            raise

    def _may_open(self) -> bool:
        """Whether there may be one more, which then counts; else another has become idle. Raises `StoreDown` when neither comes."""
        with self._room:
            if self._open >= self._connections:
                # Said before looking: whoever gives one back afterwards rings.
                self._wanting += 1
                try:
                    if not self._room.wait_for(lambda: self._idle or self._open < self._connections, _PATIENCE):
                        raise StoreDown("all connections to the store are in use")
                finally:
                    self._wanting -= 1
            if self._open >= self._connections:
                return False
            self._open += 1
            return True

    def _give_back(self, connection: Any) -> None:
        self._idle.append((connection, time.monotonic()))
        if self._wanting:
            with self._room:
                self._room.notify()

    def _drop(self, connection: Any) -> None:
        connection.disconnect()
        self._closed()

    def _closed(self) -> None:
        with self._room:
            self._open -= 1
            self._room.notify()

    def _drop_idle(self) -> None:
        """The server is or was away: connections of before are no use."""
        while self._idle:
            with suppress(IndexError):
                self._drop(self._idle.pop()[0])


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


def _replies(connection: Any, count: int) -> list[Any]:
    """So many replies, error replies among them, as hiredis hands them out: redis-py looks at each three times more."""
    sock, parser = connection._sock, connection._parser  # noqa: SLF001 - redis-py hands them out nowhere
    reader, buffer = parser._reader, parser._buffer  # noqa: SLF001
    if sock is None or reader is None:
        raise redis.ConnectionError("the connection was closed")
    replies: list[Any] = []
    while len(replies) < count:
        reply = reader.gets()
        if reply is not NOT_ENOUGH_DATA:
            if isinstance(reply, redis.ConnectionError):  # it is still loading, or has too many clients
                raise reply
            replies.append(reply)
            continue
        came = sock.recv_into(buffer)
        if not came:
            raise redis.ConnectionError("the server closed the connection")
        reader.feed(buffer, 0, came)
    return replies
