"""A total time limit for connections to external servers: the connection is cut when its time is up."""

from __future__ import annotations

import heapq
import itertools
import socket
import threading
import time
from contextlib import suppress


class ConnectionDeadline:
    """Cuts a connection when its time is up. A server that sends one byte per second would never hit a read timeout."""

    def __init__(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds
        self.is_expired = self.is_cancelled = False
        self._socket: socket.socket | None = None
        self._guard = threading.Lock()
        _watch.add(self)

    def remaining(self) -> float:
        """Seconds left. Raises `TimeoutError` if there are none."""
        left = self.until - time.monotonic()
        if left <= 0 or self.is_expired:
            raise TimeoutError
        return left

    def watch(self, connected: socket.socket) -> None:
        """Set the connection to cut. The socket is duplicated, because TLS takes over the original handle."""
        with self._guard:
            self._socket = connected.dup()
        if self.is_expired:
            self.cut()

    def cut(self) -> None:
        """Cut the connection."""
        self.is_expired = True
        with self._guard, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)

    def cancel(self) -> None:
        """Stop watching; the request is finished."""
        self.is_cancelled = True
        with self._guard:
            if self._socket is not None:
                self._socket.close()
                self._socket = None


class _DeadlineThread:
    """One thread for all deadlines. A thread per deadline would cost more than the rest of a short request."""

    def __init__(self) -> None:
        self._deadlines: list[tuple[float, int, ConnectionDeadline]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, deadline: ConnectionDeadline) -> None:
        with self._changed:
            heapq.heappush(self._deadlines, (deadline.until, next(self._numbers), deadline))
            if self._thread is None or not self._thread.is_alive():  # a fork does not copy threads
                self._thread = threading.Thread(target=self._run, name="deadline", daemon=True)
                self._thread.start()
            elif self._deadlines[0][2] is deadline:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._deadlines and self._deadlines[0][2].is_cancelled:
                    heapq.heappop(self._deadlines)
                left = self._deadlines[0][0] - time.monotonic() if self._deadlines else None
                if left is None or left > 0:
                    self._changed.wait(left)
                    continue
                deadline = heapq.heappop(self._deadlines)[2]
            if not deadline.is_cancelled:
                deadline.cut()


_watch = _DeadlineThread()
