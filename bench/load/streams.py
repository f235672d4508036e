"""Many open event streams, read in a separate cheap thread."""

from __future__ import annotations

import re
import select
import socket
import threading
import time
from typing import Self

from bench.load.raw import request

_ID = re.compile(rb"^id: ?(\d+)\r?$", re.MULTILINE)


class Streams:
    """Streams of games; `seen` has the last seq of each. Closed at the end of the ``with`` block."""

    def __init__(self, address: tuple[str, int], wanted: list[tuple[str, str | None]]) -> None:
        """``wanted``: the game and the reader's token for each stream."""
        self.seen = [0] * len(wanted)
        self._rests = [b""] * len(wanted)
        self._lines: list[socket.socket] = []
        self._closing = False
        self._poll = select.epoll()
        self._places: dict[int, int] = {}
        for place, (game, token) in enumerate(wanted):
            line = socket.create_connection(address, timeout=60)
            line.sendall(request("GET", f"/v1/games/{game}/events", token, Accept="text/event-stream"))
            self._lines.append(line)
            self._places[line.fileno()] = place
        for line in self._lines:
            answer = line.recv(65536)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(f"no stream: {answer[:300]!r}")
            self._take(self._places[line.fileno()], answer)
            self._poll.register(line.fileno(), select.EPOLLIN)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def heard(self, seq: int, seconds: float = 30) -> None:
        """Wait until all streams have got a commit. Raises `TimeoutError`."""
        until = time.perf_counter() + seconds
        while min(self.seen) < seq:
            if time.perf_counter() > until:
                behind = sum(1 for seen in self.seen if seen < seq)
                raise TimeoutError(f"{behind} of {len(self.seen)} streams have not heard of commit {seq}")
            time.sleep(0.002)

    def _read(self) -> None:
        while not self._closing:
            for number, _ in self._poll.poll(0.2):
                place = self._places[number]
                data = self._lines[place].recv(65536)
                if not data:
                    self._poll.unregister(number)
                self._take(place, data)

    def _take(self, place: int, data: bytes) -> None:
        text = self._rests[place] + data
        whole, _, self._rests[place] = text.rpartition(b"\n")
        for found in _ID.finditer(whole):
            self.seen[place] = int(found[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        self._thread.join()
        for line in self._lines:
            line.close()
        self._poll.close()
