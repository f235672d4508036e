"""Hints that something changed: one subscription per process, passed on to all waiting threads."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import redis
import structlog

from domain.kernel.terms import GameId
from service.store.redis import keys
from service.store.redis.client import RedisClient
from service.store.shared.news_board import NewsBoard, NewsSubscription, PendingResult
from service.store.shared.outcome import stored

_log = structlog.get_logger()
_ID = 16
"""Bytes of a player's submission id in a message (`keys.id_field`)."""


class News:
    """Hints that something changed; correctness never depends on them.

    The listener starts in the process that subscribes first.
    """

    def __init__(self, wire: RedisClient) -> None:
        self._wire = wire
        self._board = NewsBoard()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._connection: Any = None
        self._listening = threading.Event()
        self._process = 0
        """The id of the process in which the listener runs; 0 if it has stopped."""
        self._channel = ""
        self._closed = False

    def subscribe(self, game_id: GameId) -> NewsSubscription:
        waiter = self._board.subscribe(game_id)
        self._listen()
        return waiter

    def expect(self, game_id: GameId, ids: Sequence[str]) -> PendingResult:
        """Wait for the outcome of a future submission; for a list, give the ids of all its commands in order."""
        self._listen()
        return self._board.expect(game_id, [keys.id_field(game_id, id_) for id_ in ids], self._channel)

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        """Call ``forget`` with the id of every credential revoked from now on, from another thread.

        Called with ``*`` when some may have been missed: forget all.
        """
        self._board.on_revoked(forget)
        self._listen()

    def close(self) -> None:
        self._closed = True
        if self._connection is not None:
            with suppress(OSError):
                self._connection.disconnect()  # otherwise the thread would notice only at the server's next message
        if self._thread is not None:
            self._thread.join(2)

    def _listen(self) -> None:
        # A fork does not copy the thread. `is_alive` would cost a turn of gevent's loop.
        if self._process == os.getpid() and self._listening.is_set():
            return
        # Subscribers read next: the subscription must be active by then, or news in between are missed.
        with self._guard:
            if not self._closed and (self._thread is None or not self._thread.is_alive()):
                self._listening.clear()
                self._channel = keys.TOLD + secrets.token_hex(16)
                self._thread = threading.Thread(target=self._run, name="store-news", daemon=True)
                self._process = os.getpid()
                self._thread.start()
        self._listening.wait(2)

    def _run(self) -> None:
        try:
            self._listen_on()
        finally:
            self._process = 0

    def _listen_on(self) -> None:
        pause = 0.05
        while not self._closed:
            try:
                self._connection = self._wire.connection()
                self._connection.send_command("SUBSCRIBE", keys.NEWS, keys.REVOKED, self._channel)
                for _ in range(3):
                    self._connection.read_response()
                self._listening.set()
                pause = 0.05
                self._missed()
                while not self._closed:
                    self._take_in(self._next())
            except (redis.RedisError, OSError) as error:
                if self._connection is not None:
                    self._connection.disconnect()
                if not self._closed:
                    _log.warning("store_news_interrupted", error=str(error))
                    time.sleep(pause)
                    pause = min(pause * 2, 2.0)

    def _next(self) -> Any:
        """The next message; raises redis-py's errors if the server is away, or does not respond to a ping."""
        try:
            return self._connection.read_response(disconnect_on_error=False)
        except redis.TimeoutError:
            self._connection.send_command("PING")
            return self._connection.read_response()

    def _missed(self) -> None:
        self._board.tell_all()
        self._board.revoked("*")

    def _take_in(self, message: Any) -> None:
        """Pass a message on; an invalid one is only a lost hint and must not stop later ones."""
        try:
            self._pass_on(message)
        except ValueError as error:
            _log.warning("store_news_invalid", error=str(error))

    def _pass_on(self, message: Any) -> None:
        kind, channel, *told = message
        if kind != b"message":
            return
        data: bytes = told[0]
        if channel == keys.NEWS.encode():
            game, _, directly = data.partition(b" ")
            self._board.tell(GameId(game.decode()), directly=directly.endswith(b" told"))
        elif channel == keys.REVOKED.encode():
            self._board.revoked(data.decode())
        else:
            self._tell(data)

    def _tell(self, data: bytes) -> None:
        field, seq, packed = data[:_ID], *data[_ID + 1 :].split(b" ", 1)
        self._board.tell_of(field, lambda game_id: stored(game_id, seq, packed), last=data[_ID : _ID + 1] == b".")
