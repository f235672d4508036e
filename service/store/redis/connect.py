"""One Redis server: commands, pipelines and scripts, with every failure of the connection told as `StoreDown`."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, ResponseError
from redis.retry import Retry

from service.process.figures.catalogue import SCRIPTS
from service.settings import redis_url
from service.store.ports.errors import StoreDown
from service.store.redis.line.exchange import AWAY, NotConnected, hear, is_stale, pack, send, sound, up
from service.store.redis.line.replicas import Replicas
from service.store.redis.line.sharing import multiplexed

_PATIENCE = 5.0
"""Seconds to wait for a connection when all are in use."""
_FRESH = 0.1
"""Seconds within which a connection is used again unlooked at."""


_FORKS = [0]
"""How often this process was forked off another: connections of before belong to that one."""
os.register_at_fork(after_in_child=lambda: _FORKS.__setitem__(0, _FORKS[0] + 1))


class Unreached(StoreDown):
    """Nothing was sent: no connection could be made, or nobody took what was said."""


class Script:
    """A Lua script from the file of its name; it is called by the hash of its text."""

    def __init__(self, name: str) -> None:
        self.text = (Path(__file__).parent / "lua" / f"{name}.lua").read_text()
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        self.file = name
        self.name = f"{name}-{self.sha[:12]}"


class Wire:
    """Calls to one server over connections that are kept and shared, for threads and greenlets alike.

    Replies are Redis' own: bytes, ints, lists, None. A call is sent once and never repeated behind the caller's back.
    """

    is_cluster = False

    def __init__(self, url: str, connections: int = 64, replicas: int = 0) -> None:
        """``replicas`` is how many must hold what is acknowledged (`service.store.redis.line.replicas`)."""
        self.url, self.wanted_replicas = url, replicas
        self.replicas = Replicas(self, redis_url.shown(url), replicas) if replicas else None
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

    @property
    def database(self) -> int:
        """The number of the server's database."""
        return self._database

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
        return up(self.said(commands)) if commands else []

    def said(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """As `many`, with the replies among them by which a server says that it cannot answer now."""
        if self._forks != _FORKS[0]:
            self._renew()
        shared = self._shared
        if shared is None or not shared.is_here():
            return self.said_apart(commands)
        try:
            replies: list[Any] = shared.ask(pack(commands), len(commands))
        except NotConnected as error:
            self._drop_idle()
            raise Unreached(str(error)) from (error.__cause__ or error)
        except AWAY as error:
            self._drop_idle()
            raise StoreDown(str(error)) from error
        if self.replicas is not None:
            self.replicas.note(commands, shared.history)
        return replies

    def said_apart(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """As `said`, over a connection that nobody else uses meanwhile."""
        return self.finish(self.begin(commands), len(commands))

    def all(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """As `many`, raising the first error reply."""
        return sound(self.many(commands))

    def apart(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """As `all`, over a connection that nobody else uses meanwhile: for replies that may be long."""
        return sound(up(self.said_apart(commands)))

    def call(self, script: Script, keys: Sequence[str], arguments: Iterable[Any] = ()) -> Any:
        """The reply of a script."""
        return self.calls(script, [(keys, arguments)])[0]

    def calls(self, script: Script, each: Sequence[tuple[Sequence[str], Iterable[Any]]]) -> list[Any]:
        """The replies of many calls of a script in one round trip; a server that does not know it yet is taught."""
        return sound(self.tried(script, each))

    def tried(self, script: Script, each: Sequence[tuple[Sequence[str], Iterable[Any]]]) -> list[Any]:
        """As `calls`, with error replies among the others: what is wrong with one game is no other's business."""
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

    def teach(self, script: Script, commands: Sequence[Sequence[Any]]) -> None:  # noqa: ARG002 - here one server has all keys
        """Bring a script to whoever these calls of it go to."""
        self.one("SCRIPT", "LOAD", script.text)

    def servers(self) -> Mapping[str, Wire]:
        """Every server that takes writes, by what it is called; of a cluster they are the primaries."""
        return {redis_url.shown(self.url): self}

    def scan(self, pattern: str) -> Iterator[bytes]:
        """The names of all keys that a pattern fits; one may come twice."""
        cursor = b"0"
        while True:
            cursor, names = self.one("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            yield from names
            if cursor == b"0":
                return

    def connection(self) -> Any:
        """A connection of one's own, for subscriptions (redis-py's ``Connection``); raises its errors."""
        connection = self._pool.connection_class(**self._pool.connection_kwargs)
        connection.connect()
        if self.replicas is not None:
            self.replicas.learn(connection)
        return connection

    def channel(self, name: str, number: int) -> str:
        """A channel of this database alone; the server itself makes no difference between its databases there."""
        return f"{name}{self._database}:{number}"

    def sharded(self, name: str, tag: str) -> str:  # noqa: ARG002 - one server hears all of them
        """The channel of this name for what has a hash tag: in a cluster it is told where the keys of that tag are."""
        return name

    def telling(self, channel: str, word: str) -> tuple[str, ...]:
        """The command that tells a word to a channel."""
        return ("PUBLISH", channel, word)

    def close(self) -> None:
        if self._shared is not None:
            self._shared.close()
        self._drop_idle()
        self._pool.disconnect()

    def part(self) -> None:
        """Let go of the connections: what is asked from now on goes over new ones."""
        if self._shared is not None and self._shared.is_here():
            self._shared.close()
        self._drop_idle()

    def begin(self, commands: Sequence[Sequence[Any]]) -> Any:
        """Send commands over a connection that nobody else uses until `finish`, or `abandon`, is given it."""
        connection = self._take()
        try:
            send(connection, pack(commands))
        except AWAY as error:
            self._drop(connection)
            self._drop_idle()
            raise StoreDown(str(error)) from error
        except BaseException:
            self._drop(connection)
            raise
        if self.replicas is not None:
            self.replicas.note(commands, connection.history)
        return connection

    def finish(self, connection: Any, count: int) -> list[Any]:
        """The replies to what was begun."""
        try:
            replies = hear(connection, count)
        except AWAY as error:
            self._drop(connection)
            self._drop_idle()
            raise StoreDown(str(error)) from error
        except BaseException:
            # Replies may still be on their way: no other call must read them as its own.
            self._drop(connection)
            raise
        self._give_back(connection)
        return replies

    def abandon(self, connection: Any) -> None:
        """Nobody hears what was begun."""
        self._drop(connection)

    def _renew(self) -> None:
        self._forks = _FORKS[0]
        self._idle: deque[tuple[Any, float]] = deque()
        self._open, self._wanting = 0, 0
        self._room = threading.Condition()
        self._shared = multiplexed(self.connection, self._pool)

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
            if time.monotonic() - used < _FRESH or not is_stale(connection):
                return connection
            self._drop(connection)
        try:
            return self.connection()
        except BaseException as error:
            self._closed()
            if isinstance(error, AWAY):
                raise Unreached(str(error)) from error
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
