"""A proxy between a browser and the service that can be cut in the middle of a message, or go silent."""

from __future__ import annotations

import contextlib
import socket
import threading
from urllib.parse import urlsplit

PIECE = 4096


class Line:
    """A port that forwards every byte to the service until it is cut."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self._there = (where.hostname, where.port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._held: set[socket.socket] = set()
        self._silent: set[socket.socket] = set()
        self._left: int | None = None
        self._lock = threading.Lock()
        self.opened = 0
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._take, daemon=True).start()

    def cut(self) -> None:
        """Close every connection now, even in the middle of a message."""
        with self._lock:
            held, self._held = self._held, set()
        for one in held:
            _end(one)

    def cut_after(self, size: int) -> None:
        """Close every connection after `size` more bytes from the service."""
        with self._lock:
            self._left = size

    def silence(self) -> None:
        """Let open connections deliver nothing and stay open until the client sends, as if a router had dropped them."""
        with self._lock:
            self._silent |= self._held

    def close(self) -> None:
        _end(self._server)
        self.cut()

    def _take(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(self._there)
                with self._lock:
                    self._held |= {near, far}
                    self.opened += 1
                for one, other, coming in ((near, far, False), (far, near, True)):
                    threading.Thread(target=self._carry, args=(one, other, coming), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket, coming: bool) -> None:
        with contextlib.suppress(OSError):
            while piece := one.recv(PIECE):
                with self._lock:
                    silent = one in self._silent
                if silent and coming:
                    continue
                if silent:
                    _end(one)
                    break
                with self._lock:
                    if coming and self._left is not None:
                        piece, self._left = piece[: self._left], self._left - len(piece)
                        over = self._left <= 0
                    else:
                        over = False
                other.sendall(piece)
                if over:
                    self._left = None
                    self.cut()
        for each in (one, other):
            with self._lock:
                self._held.discard(each)
                silent = each in self._silent
            if not silent:
                _end(each)


def _end(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        one.close()
