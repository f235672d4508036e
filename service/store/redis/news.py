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

_log = structlog.get_logger()


class Waiter:
    """One who waits for news of a game, or with ``*`` of all."""

    def __init__(self, board: NewsBoard, game_id: GameId) -> None:
        self._board, self._game = board, game_id
        self._news = threading.Event()

    def wait(self, seconds: float) -> bool:
        came = self._news.wait(seconds)
        if came:
            self._news.clear()
        return came

    def tell(self) -> None:
        self._news.set()

    def close(self) -> None:
        self._board.leave(self._game, self)


class NewsBoard:
    """Who waits for what in this process."""

    def __init__(self) -> None:
        self._waiters: dict[str, set[Waiter]] = {}
        self._forgetters: list[Callable[[str], None]] = []
        self._guard = threading.Lock()

    def subscribe(self, game_id: GameId) -> Waiter:
        waiter = Waiter(self, game_id)
        with self._guard:
            self._waiters.setdefault(game_id, set()).add(waiter)
        return waiter

    def leave(self, game_id: GameId, waiter: Waiter) -> None:
        with self._guard:
            waiting = self._waiters.get(game_id, set())
            waiting.discard(waiter)
            if not waiting:
                self._waiters.pop(game_id, None)

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        with self._guard:
            self._forgetters.append(forget)

    def tell(self, game_id: GameId) -> None:
        """There is news of this game."""
        if self._waiters:
            with self._guard:
                waiters = [*self._waiters.get(game_id, ()), *self._waiters.get("*", ())]
            for waiter in waiters:
                waiter.tell()

    def tell_all(self) -> None:
        """There may be news of any game."""
        with self._guard:
            waiters = [waiter for waiting in self._waiters.values() for waiter in waiting]
        for waiter in waiters:
            waiter.tell()

    def revoked(self, credential: str) -> None:
        """A credential is void (``*``: any may be)."""
        with self._guard:
            forgetters = tuple(self._forgetters)
        for forget in forgetters:
            forget(credential)


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
        told: bytes = message["data"]
        if message["channel"] == keys.NEWS.encode():
            self._board.tell(GameId(told.partition(b" ")[0].decode()))
        else:
            self._board.revoked(told.decode())
