"""Who waits for what in this process: news of games, and revoked credentials, fanned out to all who wait."""

from __future__ import annotations

import threading
from collections.abc import Callable

from domain.terms import GameId
from service.store.ports.news import ALL_GAMES


class Waiter:
    """One who waits for news of a game, or with `ALL_GAMES` of all."""

    def __init__(self, board: NewsBoard, game_id: GameId) -> None:
        self._board, self._game = board, game_id
        self._news = threading.Event()

    def wait(self, seconds: float) -> bool:
        came_in_time = self._news.wait(seconds)
        if came_in_time:
            self._news.clear()
        return came_in_time

    def tell(self) -> None:
        self._news.set()

    def close(self) -> None:
        self._board.leave(self._game, self)


class NewsBoard:
    """Who waits for what in this process."""

    def __init__(self) -> None:
        self._waiters: dict[GameId, set[Waiter]] = {}
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
                waiters = [*self._waiters.get(game_id, ()), *self._waiters.get(ALL_GAMES, ())]
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
