"""One Redis server: commands, pipelines and scripts, with every failure of the connection told as `StoreDown`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

from service.store.ports import StoreDown

if TYPE_CHECKING:
    from service.store.redis_store import RedisStore

_DOWN = (OutOfMemoryError, ReadOnlyError, ClusterDownError, MasterDownError, TryAgainError)
_DOWN_WORDS = ("MISCONF", "NOREPLICAS", "BUSY", "UNKILLABLE")
"""Error replies that say nothing about the call and much about the server."""


class Script:
    """A Lua script from the file of its name; it is called by the hash of its text."""

    def __init__(self, name: str) -> None:
        self.text = (Path(__file__).parent / f"{name}.lua").read_text()
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        self.name = f"{name}-{self.sha[:12]}"


class Wire:
    """Calls to one server over a pool of connections; for threads and greenlets alike.

    Replies are Redis' own: bytes, ints, lists, None. A call is sent once and never repeated behind the caller's back.
    """

    def __init__(self, url: str, connections: int = 64) -> None:
        self.url = url
        self._pool: Any = redis.BlockingConnectionPool.from_url(
            url,
            max_connections=connections,
            timeout=5,
            protocol=2,
            socket_timeout=10,
            socket_connect_timeout=5,
            retry=Retry(NoBackoff(), 0),
            driver_info=None,
        )

    def one(self, *command: Any) -> Any:
        """The reply to one command; raises `StoreDown`, or redis-py's ``ResponseError``."""
        reply = self.many([command])[0]
        if isinstance(reply, ResponseError):
            raise reply
        return reply

    def many(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """The replies to many commands in one round trip, error replies among them."""
        if not commands:
            return []
        with self._down(), self._connection() as connection:
            connection.send_packed_command(connection.pack_commands(commands))
            replies = [_reply(connection) for _ in commands]
        for reply in replies:
            if isinstance(reply, _DOWN) or (isinstance(reply, ResponseError) and str(reply).startswith(_DOWN_WORDS)):
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
        commands = [("EVALSHA", script.sha, len(keys), *keys, *arguments) for keys, arguments in each]
        replies = self.many(commands)
        unknown = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:
            self.one("SCRIPT", "LOAD", script.text)
            for place, reply in zip(unknown, self.many([commands[place] for place in unknown]), strict=True):
                replies[place] = reply
        for reply in replies:
            if isinstance(reply, ResponseError):
                raise reply
        return replies

    def listener(self) -> Any:
        """A connection of its own for subscriptions (redis-py's ``PubSub``)."""
        client: Any = redis.Redis(connection_pool=self._pool)
        return client.pubsub()

    def close(self) -> None:
        self._pool.disconnect()

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        connection = self._pool.get_connection()
        try:
            yield connection
        except BaseException:
            # Replies may still be on their way: the next call must not read them as its own.
            connection.disconnect()
            raise
        finally:
            self._pool.release(connection)

    @contextmanager
    def _down(self) -> Iterator[None]:
        try:
            yield
        except (redis.ConnectionError, redis.TimeoutError, OSError) as error:
            raise StoreDown(str(error)) from error


def _reply(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def open_store(url: str, partitions: int = 64) -> RedisStore:
    """The store behind a Redis URL; raises `WrongPartitions` where it was laid out for another number of partitions."""
    from service.store.redis_store import RedisStore

    return RedisStore(Wire(url), partitions)
