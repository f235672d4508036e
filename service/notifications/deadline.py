"""A total time limit for connections to external servers: the connection is cut when its time is up."""

from __future__ import annotations

import heapq
import itertools
import socket
import threading
import time
from contextlib import suppress


class Brake:
    """Cuts a connection when its time is up. A server that sends one byte per second would never hit a read timeout."""

    def __init__(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds
        self.pulled = self.released = False
        self._socket: socket.socket | None = None
        self._guard = threading.Lock()
        _watch.add(self)

    def left(self) -> float:
        """Seconds left. Raises `TimeoutError` if there are none."""
        left = self.until - time.monotonic()
        if left <= 0 or self.pulled:
            raise TimeoutError
        return left

    def hold(self, connected: socket.socket) -> None:
        """Set the connection to cut. The socket is duplicated, because TLS takes over the original handle."""
        with self._guard:
            self._socket = connected.dup()
        if self.pulled:
            self.pull()

    def pull(self) -> None:
        """Cut the connection."""
        self.pulled = True
        with self._guard, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """Stop watching; the request is finished."""
        self.released = True
        with self._guard:
            if self._socket is not None:
                self._socket.close()
                self._socket = None


class _Watch:
    """One thread for all brakes. A thread per brake would cost more than the rest of a short request."""

    def __init__(self) -> None:
        self._brakes: list[tuple[float, int, Brake]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, brake: Brake) -> None:
        with self._changed:
            heapq.heappush(self._brakes, (brake.until, next(self._numbers), brake))
            if self._thread is None or not self._thread.is_alive():  # a fork does not copy threads
                self._thread = threading.Thread(target=self._run, name="brake", daemon=True)
                self._thread.start()
            elif self._brakes[0][2] is brake:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._brakes and self._brakes[0][2].released:
                    heapq.heappop(self._brakes)
                left = self._brakes[0][0] - time.monotonic() if self._brakes else None
                if left is None or left > 0:
                    self._changed.wait(left)
                    continue
                brake = heapq.heappop(self._brakes)[2]
            if not brake.released:
                brake.pull()


_watch = _Watch()
