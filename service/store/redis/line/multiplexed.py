"""One connection that all greenlets of a process share: what they ask in one turn of gevent's loop leaves in one send.

Replies come in the order of what was asked, so one reader hands each to whoever asked for it; who has gone away meanwhile
is passed over. What was sent is never sent again; what was not yet sent when the connection ended is asked over the next one,
unless it ended because the server is silent.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import redis
from gevent import get_hub, getcurrent
from gevent.hub import Waiter
from redis._parsers.hiredis import NOT_ENOUGH_DATA

from service.store.redis.line.exchange import NotConnected

_ATTEMPTS = 3
"""Connections over which something is asked at most that none of them has taken."""
_TICK = 1.0
"""Seconds between two looks at how long the oldest has been waiting, while anybody is."""
_FRESH = 0.1
"""Seconds within which a connection on which nothing is awaited is spoken over without a look whether it is still open."""
_BUFFER = 65536
_READ, _WRITE = 1, 2  # gevent's names for what a watcher watches


_ALL: weakref.WeakSet[Multiplexed] = weakref.WeakSet()


def _forked() -> None:
    """What stands in a process that was forked off belongs to the other one, which goes on reading it."""
    for each in _ALL:
        each.abandon()


os.register_at_fork(after_in_child=_forked)


class _Asked:
    """Somebody who waits for so many replies; None in place of who has gone away."""

    __slots__ = ("count", "replies", "since", "waiter")

    def __init__(self, waiter: Any, count: int) -> None:
        self.waiter, self.count = waiter, count
        self.replies: list[Any] = []
        self.since = 0.0


class Multiplexed:
    """For the greenlets of the thread that makes it, and for no others."""

    def __init__(self, connect: Callable[[], Any], patience: float) -> None:
        """``connect`` makes redis-py's ``Connection``, connected; who hears nothing for ``patience`` seconds is told so."""
        self._connect, self._patience = connect, patience
        self._hub = get_hub()
        self._opening, self._openings, self._why = threading.Lock(), 0, ""
        self._unsent: deque[tuple[_Asked, bytes]] = deque()
        self._sent: deque[_Asked] = deque()
        self._left = b""
        self._heard = 0.0
        self._leaving = False
        self._buffer = bytearray(_BUFFER)
        self._connection: Any = None
        self._line: Any = None
        _ALL.add(self)

    def is_here(self) -> bool:
        """Whether who calls may wait here: a greenlet of the same thread, which is not the loop itself."""
        hub = get_hub()
        return hub is self._hub and getcurrent() is not hub

    @property
    def history(self) -> str:
        """That which the server was in when it was connected to; who has just been answered reads it before anything else."""
        return getattr(self._connection, "history", "")

    def ask(self, packed: bytes, count: int) -> list[Any]:
        """The replies, so many, error replies among them; raises redis-py's errors of the connection, and `OSError`."""
        for _ in range(_ATTEMPTS):
            if self._connection is None:
                self._open()
            asked = _Asked(Waiter(self._hub), count)
            self._unsent.append((asked, packed))
            if not self._leaving:
                self._leaving = True
                self._hub.loop.run_callback(self._leave)
            try:
                replies: list[Any] | None = asked.waiter.get()
            finally:
                asked.waiter = None
            if replies is not None:
                return replies
        raise redis.ConnectionError("the server closed each connection at once")

    def close(self) -> None:
        """Whoever still waits is told that it has ended."""
        self._end(redis.ConnectionError("the connection was closed"))

    def abandon(self) -> Any:
        """Neither read what comes there any more nor send; what is left of it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            for watcher in (self._comes, self._goes, self._ticks):
                watcher.stop()
        return connection

    def _open(self) -> None:
        opening = self._openings
        with self._opening:
            if self._connection is not None:
                return
            if self._openings != opening:
                raise NotConnected(self._why)  # somebody has just tried: trying one after the other would take long
            self._openings += 1
            try:
                connection = self._connect()
            except (redis.RedisError, OSError) as error:
                self._why = str(error)
                raise NotConnected(self._why) from error
            # gevent's socket waits where it must; here nobody may, since it is the loop that reads and sends.
            self._line, self._reader = connection._sock._sock, connection._parser._reader  # noqa: SLF001 - handed out nowhere
            loop, number = self._hub.loop, self._line.fileno()
            self._comes, self._goes = loop.io(number, _READ), loop.io(number, _WRITE)
            self._ticks = loop.timer(_TICK, _TICK)
            self._connection, self._heard = connection, time.monotonic()
            self._comes.start(self._come)

    def _leave(self) -> None:
        """Send what has been asked since the last time; called by the loop."""
        self._leaving = False
        if self._connection is None or self._left:
            return
        batch = [each for each in self._unsent if each[0].waiter is not None]
        self._unsent.clear()
        if not batch:
            return
        data, now = b"".join([packed for _, packed in batch]), time.monotonic()
        try:
            if not self._sent and now - self._heard > _FRESH and self._is_closed():
                raise redis.ConnectionError("the server has closed the connection")
            sent = self._line.send(data)
        except BlockingIOError:
            sent = 0
        except (redis.ConnectionError, OSError) as error:
            self._unsent.extend(batch)  # nothing of it has left
            self._end(error)
            return
        for asked, _ in batch:
            asked.since = now
            self._sent.append(asked)
        if not self._ticks.active:
            self._ticks.start(self._look)
        if sent < len(data):
            self._left = data[sent:]
            self._goes.start(self._go_on)

    def _is_closed(self) -> bool:
        try:
            return not self._line.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False

    def _go_on(self) -> None:
        """There is room again for what could not be sent at once; called by the loop."""
        try:
            sent = self._line.send(self._left)
        except BlockingIOError:
            return
        except OSError as error:
            self._end(error)
            return
        self._left = self._left[sent:]
        if not self._left:
            self._goes.stop()
            self._leave()

    def _come(self) -> None:
        """Read what has come, and wake those for whom it is; called by the loop."""
        answered: list[_Asked] = []
        failed: BaseException | None = None
        try:
            self._read(answered)
        except BlockingIOError:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody can say any more which reply is whose
            failed = error
        for asked in answered:
            if asked.waiter is not None:
                asked.waiter.switch(asked.replies)
        if failed is not None:
            self._end(failed)

    def _read(self, answered: list[_Asked]) -> None:
        """Adds those whose replies are whole now."""
        came = self._line.recv_into(self._buffer)
        if not came:
            raise redis.ConnectionError("the server closed the connection")
        self._heard = time.monotonic()
        self._reader.feed(self._buffer, 0, came)
        while (reply := self._reader.gets()) is not NOT_ENOUGH_DATA:
            if isinstance(reply, redis.ConnectionError):  # it is still loading, or has too many clients
                raise reply
            if not self._sent:
                raise redis.ConnectionError("the server said something that nobody has asked for")
            asked = self._sent[0]
            asked.replies.append(reply)
            if len(asked.replies) == asked.count:
                answered.append(self._sent.popleft())

    def _look(self) -> None:
        """Whether the oldest has waited for too long, and nothing has come meanwhile; called by the loop."""
        if not self._sent:
            self._ticks.stop()
        elif max(self._sent[0].since, self._heard) < time.monotonic() - self._patience:
            self._end(redis.TimeoutError("the server does not answer"))

    def _end(self, error: BaseException) -> None:
        """The connection is done with: who has sent is told so, who has not yet asks again over another one.

        Of a server that is silent all are told: whoever asked it once more would wait as long again.
        """
        connection = self.abandon()
        sent, self._sent = self._sent, deque()
        unsent, self._unsent = self._unsent, deque()
        if isinstance(error, redis.TimeoutError):
            sent.extend(asked for asked, _ in unsent)
            unsent.clear()
        self._left = b""
        run = self._hub.loop.run_callback
        for asked in sent:
            if asked.waiter is not None:
                run(asked.waiter.throw, redis.ConnectionError(str(error)))
        for asked, _ in unsent:
            if asked.waiter is not None:
                run(asked.waiter.switch, None)
        if connection is not None:
            connection.disconnect()
