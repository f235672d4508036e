"""Reads the event streams of games under load: checks the order, and measures the delay after sending."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

from tools.load.line import WRONG_SHAPE
from tools.load.playing import LoadGame
from tools.load.tally import Tally

SILENCE = 40.0
"""Seconds without a byte after which a stream counts as dead: the service sends one every fifteen."""

TOLD = "told"
"""Name in the tally for the time from sending a command to its event on a stream."""


class Watcher:
    """One stream reader, which chooses another game when one ends."""

    def __init__(self, url: str, choose: Callable[[], LoadGame | None], tally: Tally) -> None:
        self._url, self._choose, self._tally = urlsplit(url), choose, tally
        self._stopped = threading.Event()
        self._connection: http.client.HTTPConnection | None = None
        self.arrived: list[tuple[LoadGame, int, float]] = []
        """Game, seq and arrival time of each event."""
        self.thread = threading.Thread(target=self._run, daemon=True)

    def stop(self) -> None:
        """Close the stream, even while it waits, and add the delays to the tally."""
        self._stopped.set()
        while self.thread.is_alive():
            if self._connection is not None and (line := self._connection.sock) is not None:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
            self.thread.join(0.1)
        for game, seq, at in self.arrived:
            if (sent := game.sent_at.get(seq)) is not None:
                self._tally.took(TOLD, at - sent)

    def _run(self) -> None:
        while not self._stopped.is_set():
            game = self._choose()
            if game is None:
                self._stopped.wait(0.1)
                continue
            last: int | None = max(game.sent_at, default=1)
            while last is not None and not self._stopped.is_set() and not game.over:
                try:
                    last = self._listen(game, last)
                except (OSError, http.client.HTTPException):
                    if self._stopped.is_set():
                        return
                    self._tally.failed("stream-cut")
                    self._stopped.wait(0.2)
                except ValueError:  # ``id`` is not a number, or the data is not text
                    self._tally.failed(WRONG_SHAPE)
                    self._stopped.wait(0.2)

    def _listen(self, game: LoadGame, last: int) -> int | None:
        """Read the events after a commit until the stream ends.

        Returns the last one's seq, None after the end of the game.
        """
        secure = self._url.scheme == "https"
        made = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._connection = connection = made(self._url.hostname or "", self._url.port, timeout=SILENCE)
        headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {game.accounts[0].token}"}
        try:
            connection.request("GET", f"{self._url.path}{game.path}/events?after={last}", headers=headers)
            answer = connection.getresponse()
            if answer.status == 204:  # the game is over, and all events were sent
                return None
            if answer.status != 200:
                self._tally.failed(f"stream-{answer.status}")
                self._stopped.wait(1.0)
                return last
            while text := answer.readline():
                name, _, value = text.decode().strip().partition(": ")
                if name == "event" and value == "log-diverged":
                    self._tally.failed("log-diverged")
                if name == "id":
                    seq = int(value)
                    if seq <= last:
                        self._tally.failed("stream-out-of-order")
                    last = seq
                    self.arrived.append((game, seq, time.perf_counter()))
        finally:
            connection.close()
        return last
