"""An end to whatever somebody else makes us wait for: a connection is cut when its time is up."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress


class Brake:
    """Ends a connection when its time is up, whatever it is at: a drop every second would keep any other limit waiting."""

    def __init__(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds
        self.pulled = False
        self._socket: socket.socket | None = None
        self._guard = threading.Lock()
        self._timer = threading.Timer(seconds, self._pull)
        self._timer.daemon = True
        self._timer.start()

    def left(self) -> float:
        """Seconds; raises `TimeoutError` when there are none."""
        left = self.until - time.monotonic()
        if left <= 0 or self.pulled:
            raise TimeoutError
        return left

    def hold(self, connected: socket.socket) -> None:
        """The connection that it is for; a handle of its own, because the connection's is handed on to what encrypts it."""
        with self._guard:
            self._socket = connected.dup()
        if self.pulled:
            self._pull()

    def _pull(self) -> None:
        self.pulled = True
        with self._guard, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """It is over."""
        self._timer.cancel()
        with self._guard:
            if self._socket is not None:
                self._socket.close()
                self._socket = None
