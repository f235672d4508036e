"""What is told over sharded channels: each is heard at the node that has its slot, and again at another one when it moves."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from redis.exceptions import MovedError, ResponseError

from service.store.ports.errors import StoreDown
from service.store.redis.cluster.topology import Node
from service.store.redis.cluster.wire import ClusterWire
from service.store.redis.connect import Wire
from service.store.redis.line.exchange import AWAY, pack, send

_TIMES = 8
"""Times that a channel is looked for where it has just been said to be."""

Told = tuple[bytes, bytes]
"""A channel, and what was told there."""


class Ears:
    """Subscriptions of one process, a connection for each node."""

    def __init__(self, wire: ClusterWire) -> None:
        self._wire = wire
        self._at: dict[Wire, Any] = {}
        self._heard: dict[str, Wire] = {}
        """Where each channel is heard."""
        self._came: deque[Told] = deque()
        self._epoll: Any = None

    def listen(self, wanted: Collection[str]) -> bool:
        """From now on these channels, each where its slot is by now; whether something may have been missed meanwhile.

        Raises `StoreDown`.
        """
        changed = False
        try:
            self._leave([name for name in self._heard if name not in wanted])
            for _ in range(_TIMES):
                strayed = [name for name in wanted if self._heard.get(name) is not self._wire.line_of(name)]
                if not strayed:
                    return changed
                for name in strayed:
                    self._heard.pop(name, None)  # who has it no more says so itself, or is gone
                self._enter(strayed)
                changed = True
        except AWAY as error:
            self._wire.topology.doubt()
            raise StoreDown(str(error)) from error
        raise StoreDown("the channels of the cluster are moving")

    def fileno(self) -> int:
        """What can be read from when something may have come in; not among greenlets, who `wait`."""
        if self._epoll is None:
            self._epoll = select.epoll()
            for connection in self._at.values():
                self._epoll.register(_number(connection), select.EPOLLIN)
        return int(self._epoll.fileno())

    def wait(self, milliseconds: int) -> None:
        """Until something may have come in, but no longer."""
        poll = select.poll()
        for connection in self._at.values():
            poll.register(_number(connection), select.POLLIN)
        poll.poll(milliseconds)

    def taken(self) -> Iterator[Told]:
        """What has come in, without waiting. Raises `StoreDown`."""
        try:
            for line, connection in self._at.items():
                while connection.can_read(0):
                    with suppress(MovedError):  # it was to be heard no more where it is no more
                        self._keep(line, connection.read_response(disconnect_on_error=False))
        except AWAY as error:
            self._wire.topology.doubt()
            raise StoreDown(str(error)) from error
        while self._came:
            yield self._came.popleft()

    def close(self) -> None:
        """Hear nothing any more."""
        connections, self._at = self._at, {}
        self._heard.clear()
        self._came.clear()
        for connection in connections.values():
            with suppress(OSError):
                connection.disconnect()
        if self._epoll is not None:
            self._epoll.close()
            self._epoll = None

    def _enter(self, names: list[str]) -> None:
        by_line: dict[Wire, list[str]] = {}
        for name in names:
            by_line.setdefault(self._wire.line_of(name), []).append(name)
        for line, some in by_line.items():
            connection = self._at.get(line)
            if connection is None:
                connection = self._at[line] = line.connection()
                if self._epoll is not None:
                    self._epoll.register(_number(connection), select.EPOLLIN)
            # One command for each: channels of one command must all be in one slot.
            send(connection, pack([("SSUBSCRIBE", name) for name in some]))
            left = len(some)
            while left:
                try:
                    message = connection.read_response(disconnect_on_error=False)
                except MovedError as moved:
                    self._wire.topology.moved(int(moved.slot_id), Node(moved.host, int(moved.port)))
                    left -= 1
                except ResponseError as error:
                    raise StoreDown(str(error)) from error
                else:
                    left -= message[0] == b"ssubscribe"
                    self._keep(line, message)

    def _leave(self, names: list[str]) -> None:
        for name in names:
            connection = self._at.get(self._heard.pop(name))
            if connection is not None:
                with suppress(*AWAY):
                    send(connection, pack([("SUNSUBSCRIBE", name)]))

    def _keep(self, line: Wire, message: Any) -> None:
        kind, channel, *told = message
        if kind == b"smessage":
            if self._heard.get(channel.decode()) is line:  # a primary of before may go on as a replica of the new one
                self._came.append((channel, told[0]))
        elif kind == b"ssubscribe":
            self._heard[channel.decode()] = line
        elif kind == b"sunsubscribe" and self._heard.get(channel.decode()) is line:
            # The node has it no more, without being asked: who has it now is found when it is listened to again.
            del self._heard[channel.decode()]
            self._wire.topology.doubt()


def _number(connection: Any) -> int:
    return int(connection._sock.fileno())  # noqa: SLF001 - redis-py hands it out nowhere
