"""What `submit` hands over: a subscription to the partitions that a pump serves."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import redis
import structlog

from domain.terms import GameId
from service.store.ports.errors import StoreDown
from service.store.ports.waiting import Work
from service.store.redis.connect import Wire
from service.store.redis.log.schedule import submission_in

_HANDED = re.compile(rb"(\d{1,20}-\d{1,20}) (\d{1,13}) ([A-Za-z0-9_-]{1,64}) (.*)", re.DOTALL)
_AWAY = (redis.ConnectionError, redis.TimeoutError, OSError)
_log = structlog.get_logger()


class RedisInbox:
    """See `service.store.ports.waiting.Inbox`."""

    def __init__(self, wire: Wire, channel: Callable[[int], str], take_up: Callable[[Sequence[GameId]], None]) -> None:
        self._wire, self._channel, self._take_up = wire, channel, take_up
        self._connection: Any = None
        self._partitions: frozenset[int] = frozenset()
        self._came: deque[Work] = deque()

    def listen(self, partitions: Collection[int]) -> None:
        wanted = frozenset(partitions)
        try:
            if self._connection is None:
                self._partitions, self._connection = frozenset(), self._wire.connection()
            for word, numbers in (
                ("UNSUBSCRIBE", self._partitions - wanted),
                ("SUBSCRIBE", wanted - self._partitions),
            ):
                if numbers:
                    self._connection.send_command(word, *map(self._channel, numbers))
                    self._confirmed(len(numbers))
        except _AWAY as error:
            self.close()
            raise StoreDown(str(error)) from error
        self._partitions = wanted

    def _confirmed(self, count: int) -> None:
        """Wait until the server has said so many times that it is so; what comes in between is kept."""
        while count:
            message = self._connection.read_response(disconnect_on_error=False)
            count -= message[0] != b"message"
            self._keep(message)

    def fileno(self) -> int:
        return int(self._connection._sock.fileno())  # noqa: SLF001 - redis-py hands it out nowhere

    def taken(self, most: int) -> Sequence[Work]:
        if self._connection is None:
            raise StoreDown("nobody listens to what is handed over")
        try:
            self._come_in()
        except _AWAY as error:
            self.close()
            raise StoreDown(str(error)) from error
        works = list(islice(self._came, most))
        for _ in works:
            self._came.popleft()
        self._take_up([work.game_id for work in works])
        return works

    def _come_in(self) -> None:
        while self._connection.can_read(0):
            self._keep(self._connection.read_response(disconnect_on_error=False))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        self._came.clear()
        if connection is not None:
            with suppress(OSError):
                connection.disconnect()

    def _keep(self, message: Any) -> None:
        if message[0] != b"message":
            return
        found = _HANDED.fullmatch(message[2])
        submission = found and submission_in((b"d", found[4], b"t", found[2]))
        if not found or submission is None:
            _log.warning("what no release hands over is left to whoever claims the game", channel=message[1])
            return
        entry, now, game = found[1].decode(), int(found[2]), GameId(found[3].decode())
        self._came.append(Work(game, ((entry, submission),), at=now))
