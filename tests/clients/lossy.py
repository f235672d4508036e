"""A proxy that breaks connections after a number of response bytes, or before the response to a POST."""

from __future__ import annotations

import contextlib
import socket
import threading
from urllib.parse import urlsplit


class Wire:
    """Listens on its own port and forwards everything until it cuts the connection."""

    def __init__(self, url, cuts, lost):
        self._to = urlsplit(url)
        self._cuts, self._lost = cuts, lost
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.cut = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listening.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection((self._to.hostname, self._to.port))
                posted = threading.Event()
                threading.Thread(target=self._ask, args=(near, far, posted), daemon=True).start()
                threading.Thread(target=self._answer, args=(far, near, posted), daemon=True).start()

    def _ask(self, near, far, posted):
        with contextlib.suppress(OSError):
            while part := near.recv(65536):
                if part.startswith(b"POST "):
                    posted.set()
                far.sendall(part)
        _let_go(near, far)

    def _answer(self, far, near, posted):
        passed = 0
        with contextlib.suppress(OSError):
            while part := far.recv(4096):
                left = len(part)
                if self.cut < self._cuts:
                    left = self._lost - passed if self._lost else len(part) * (not posted.is_set())
                near.sendall(part[:left])
                passed += left
                if left < len(part):
                    self.cut += 1
                    break
        _let_go(near, far)


def _let_go(*ends):
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def lossy(url, *, cuts, lost=None):
    """A proxy that breaks ``cuts`` times: after ``lost`` bytes, or by default before the response to a POST."""
    wire = Wire(url, cuts, lost)
    try:
        yield wire
    finally:
        wire.close()
