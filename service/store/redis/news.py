"""Hints that something happened: one subscription per process, fanned out to all who wait in it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import redis
import structlog

from domain.terms import GameId
from service.store.redis import keys
from service.store.redis.connect import Wire
from service.store.shared.news_board import NewsBoard, Waiter

_log = structlog.get_logger()


class RedisNews:
    """See `service.store.ports.news.News`; the listener starts with the first who asks, in the process that asks."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._board = NewsBoard()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._listening = threading.Event()
        self._closed = False

    def subscribe(self, game_id: GameId) -> Waiter:
        waiter = self._board.subscribe(game_id)
        self._listen()
        return waiter

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        self._board.on_revoked(forget)
        self._listen()

    def close(self) -> None:
        self._closed = True
        if self._thread is not None:
            self._thread.join(2)

    def _listen(self) -> None:
        # Whoever subscribes reads next: the subscription must stand by then, or news between the two is missed.
        with self._guard:
            # A thread does not come along when a process forks.
            if not self._closed and (self._thread is None or not self._thread.is_alive()):
                self._listening.clear()
                self._thread = threading.Thread(target=self._run, name="store-news", daemon=True)
                self._thread.start()
        self._listening.wait(2)

    def _run(self) -> None:
        pause = 0.05
        while not self._closed:
            try:
                with self._wire.listener() as listener:
                    listener.subscribe(keys.NEWS, keys.REVOKED)
                    listener.get_message(timeout=5)
                    self._listening.set()
                    pause = 0.05
                    self._missed()
                    while not self._closed:
                        self._pass_on(listener.get_message(timeout=0.5))
            except (redis.RedisError, OSError) as error:
                if not self._closed:
                    _log.warning("the store's news are interrupted", error=str(error))
                    time.sleep(pause)
                    pause = min(pause * 2, 2.0)

    def _missed(self) -> None:
        self._board.tell_all()
        self._board.revoked("*")

    def _pass_on(self, message: Any) -> None:
        if message is None or message["type"] != "message":
            return
        data: bytes = message["data"]
        if message["channel"] == keys.NEWS.encode():
            self._board.tell(GameId(data.partition(b" ")[0].decode()))
        else:
            self._board.revoked(data.decode())
