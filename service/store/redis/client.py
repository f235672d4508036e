"""Calls to one Redis server through redis-py, with errors of the connection reported as `StoreDown`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)
from redis.retry import Retry

from service.ops.metrics.catalogue import SCRIPTS
from service.ops.settings import redis_url
from service.store.ports.errors import StoreDown
from service.store.redis import replication

AWAY = (redis.ConnectionError, redis.TimeoutError, OSError)
"""Errors that mean that the server cannot be reached."""

_POOL_TIMEOUT = 5.0
"""Seconds to wait for a connection when all of them are in use."""
_CONNECT_ATTEMPTS = 3
"""Connecting is always safe to repeat. A command is sent once: its effect is unknown when the connection breaks."""
_DOWN = (OutOfMemoryError, ReadOnlyError, ClusterDownError, MasterDownError, TryAgainError, MovedError, AskError)
_DOWN_PREFIXES = ("MISCONF", "NOREPLICAS", "BUSY ", "UNKILLABLE")
"""Error replies that describe the state of the server and not the call."""


class Unreached(StoreDown):
    """No connection could be made, or no server accepted the call: nothing was executed."""


class Script:
    """A Lua script, loaded from `lua/<name>.lua` and called by the hash of its text."""

    def __init__(self, name: str) -> None:
        self.text = (Path(__file__).parent / "lua" / f"{name}.lua").read_text()
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        self.file = name
        self.name = f"{name}-{self.sha[:12]}"


class RedisClient:
    """A pool of connections to one server, for threads and greenlets.

    Replies are Redis' own types: bytes, ints, lists, None. A call is sent at most once.
    """

    is_cluster = False

    def __init__(self, url: str, connections: int = 64, replicas: int = 0) -> None:
        """``replicas``: how many replicas must confirm a write (`service.store.redis.replication`)."""
        self.url, self.wanted_replicas = url, replicas
        self._pool = _pool(url, connections)
        # `WAIT` blocks its connection: reads must not run out of connections while replicas are slow.
        self._waiting = _pool(url, connections) if replicas else self._pool

    @property
    def database(self) -> int:
        return int(self._pool.connection_kwargs.get("db") or 0)

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
        """The replies to many commands in one round trip; error replies are returned in place."""
        return _must_be_up(self.said(commands)) if commands else []

    def said(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Like `many`, but also returns the error replies of a server that cannot answer now."""
        key = replication.key_written(commands) if self.wanted_replicas else None
        if key is None:
            return _exchange(self._pool, commands)
        waits = replication.waits(commands, key, self.wanted_replicas)
        replies = _exchange(self._waiting, [*commands, *waits])
        *_, marker, count = replies
        replies = replies[: len(commands)]
        replication.confirm(replies, marker, count, self.wanted_replicas, redis_url.shown(self.url))
        return replies

    def all(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Like `many`, but raises the first error reply."""
        return _must_be_fine(self.many(commands))

    def call(self, script: Script, keys: Sequence[str], arguments: Iterable[Any] = ()) -> Any:
        return self.calls(script, [(keys, arguments)])[0]

    def calls(self, script: Script, each: Sequence[tuple[Sequence[str], Iterable[Any]]]) -> list[Any]:
        """The replies of many calls of a script in one round trip; loads it if the server does not know it."""
        return _must_be_fine(self.tried(script, each))

    def tried(self, script: Script, each: Sequence[tuple[Sequence[str], Iterable[Any]]]) -> list[Any]:
        """Like `calls`, but returns error replies in place: a broken game does not affect others."""
        commands = [("EVALSHA", script.sha, len(keys), *keys, *arguments) for keys, arguments in each]
        began = time.perf_counter()
        replies = self.many(commands)
        if commands:
            SCRIPTS.note(time.perf_counter() - began, script.file)
        unknown = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:
            again = [commands[place] for place in unknown]
            self.teach(script, again)
            for place, reply in zip(unknown, self.many(again), strict=True):
                replies[place] = reply
        return replies

    def teach(self, script: Script, commands: Sequence[Sequence[Any]]) -> None:  # noqa: ARG002 - one server has all keys
        """Load a script on every server that these calls go to."""
        self.one("SCRIPT", "LOAD", script.text)

    def servers(self) -> Mapping[str, RedisClient]:
        """Every server that accepts writes, by its address; in a cluster these are the primaries."""
        return {redis_url.shown(self.url): self}

    def scan(self, pattern: str) -> Iterator[bytes]:
        """The names of all keys that match a pattern; a name may occur twice."""
        cursor = b"0"
        while True:
            cursor, names = self.one("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            yield from names
            if cursor == b"0":
                return

    def connection(self) -> Any:
        """A new connection outside the pool, for subscriptions (redis-py's ``Connection``); raises redis-py's errors."""
        connection = self._pool.connection_class(**self._pool.connection_kwargs)
        connection.connect()
        return connection

    def close(self) -> None:
        self._pool.disconnect()
        self._waiting.disconnect()


_DRIVER = redis.DriverInfo()
"""Shared by all connections: each would read the version of redis-py from its package, which takes 5 ms."""


def facts(told: bytes) -> Mapping[str, str]:
    """The fields of an `INFO` reply."""
    lines = (line.partition(":") for line in told.decode(errors="replace").splitlines())
    return {name: value.strip() for name, _, value in lines if value}


def _pool(url: str, connections: int) -> Any:
    return redis.BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=_POOL_TIMEOUT,
        protocol=2,
        driver_info=_DRIVER,
        socket_timeout=10,
        socket_connect_timeout=5,
        # `Connection` uses this only to connect and log in.
        retry=Retry(ExponentialBackoff(cap=0.1, base=0.02), _CONNECT_ATTEMPTS - 1, (redis.ConnectionError,)),
    )


def _exchange(pool: Any, commands: Sequence[Sequence[Any]]) -> list[Any]:
    try:
        connection = pool.get_connection()
    except AWAY as error:
        raise Unreached(str(error)) from error
    try:
        connection.send_packed_command(connection.pack_commands(commands))
        return [_reply(connection) for _ in commands]
    except BaseException as error:
        # Replies may still arrive: no other call may read them as its own.
        connection.disconnect()
        if isinstance(error, AWAY):
            raise StoreDown(str(error)) from error
        raise
    finally:
        pool.release(connection)


def _reply(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def _must_be_fine(replies: list[Any]) -> list[Any]:
    for reply in replies:
        if isinstance(reply, ResponseError):
            raise reply
    return replies


def _must_be_up(replies: list[Any]) -> list[Any]:
    for reply in replies:
        if isinstance(reply, ResponseError) and (isinstance(reply, _DOWN) or str(reply).startswith(_DOWN_PREFIXES)):
            raise StoreDown(str(reply)) from reply
    return replies
