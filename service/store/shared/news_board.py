"""The waiting threads of this process, and how they are woken: by news of games, outcomes, and revoked credentials."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from domain.kernel.terms import GameId
from service.ops.processes.native_threads import system_lock
from service.store.chain import BrokenLog
from service.store.ports.commits import Stored
from service.store.ports.news import ALL_GAMES

K = TypeVar("K", bound=Hashable)


class NewsSubscription:
    """Waits for news of a game, or with `ALL_GAMES` of all."""

    def __init__(self, board: NewsBoard, game_id: GameId) -> None:
        self._board, self._game = board, game_id
        self._news = threading.Event()

    def wait(self, seconds: float | None) -> bool:
        """Wait until there is news or the time is up (None: no limit); True for news."""
        came_in_time = self._news.wait(seconds)
        if came_in_time:
            self._news.clear()
        return came_in_time

    def tell(self) -> None:
        """End the current or the next wait, as if there were news."""
        self._news.set()

    def close(self) -> None:
        self._board.leave(self._game, self)


class PendingResult:
    """Waits for the outcome of one submission, or of each command of a list, under the store's names for them."""

    def __init__(self, board: NewsBoard, game_id: GameId, names: Sequence[Hashable], channel: str) -> None:
        self.game_id, self.names, self.channel = game_id, names, channel
        self.heeds_news = False
        self._board = board
        self._told: dict[Hashable, Callable[[GameId], Stored]] = {}
        self._whole = False
        # One lock as a bell: an Event has four objects, and each command with a waiting client would create them.
        self._bell = threading.Lock()
        self._bell.acquire()

    def heed_news(self) -> None:
        """Wake on any news of the game, because an earlier request submitted it and gets the result."""
        self.heeds_news = True

    def wait(self, seconds: float) -> bool:
        """Wait until there may be an outcome or the time is up; False for the latter."""
        return self._bell.acquire(timeout=seconds)

    def came(self) -> Sequence[Stored] | None:
        """The outcome, a commit for each command that was tried; None if it is unknown here and must be read.

        A complete outcome arrived in the order of events: every token revoked before the commit has been passed to
        `News.on_revoked`. Raises `BrokenLog` as `Log.outcome` does.
        """
        # Commands after the last one get no message; a gap before it means that a message was lost.
        tried = self.names[: len(self._told)]
        if not self._whole or not all(name in self._told for name in tried):
            return None
        try:
            return [self._told[name](self.game_id) for name in tried]
        except (BrokenLog, ValueError):
            return None  # the message cannot be read: the log has the outcome

    def tell(self, name: Hashable, commit: Callable[[GameId], Stored], *, last: bool) -> None:
        """A submission has this commit, which is decoded only when it is needed."""
        self._told[name] = commit
        if last:
            self._whole = True
            self.ring()

    def ring(self) -> None:
        """Wake the waiting thread."""
        try:
            self._bell.release()
        except RuntimeError:  # it was rung already, and no thread has woken yet
            return

    def close(self) -> None:
        self._board.expect_no_more(self)


class NewsBoard:
    def __init__(self) -> None:
        self._waiters: dict[GameId, set[NewsSubscription]] = {}
        self._expected: dict[GameId, list[PendingResult]] = {}
        self._named: dict[Hashable, list[PendingResult]] = {}
        self._forgetters: list[Callable[[str], None]] = []
        self._guard = system_lock()

    def subscribe(self, game_id: GameId) -> NewsSubscription:
        waiter = NewsSubscription(self, game_id)
        with self._guard:
            self._waiters.setdefault(game_id, set()).add(waiter)
        return waiter

    def leave(self, game_id: GameId, waiter: NewsSubscription) -> None:
        with self._guard:
            waiting = self._waiters.get(game_id, set())
            waiting.discard(waiter)
            if not waiting:
                self._waiters.pop(game_id, None)

    def expect(self, game_id: GameId, names: Sequence[Hashable], channel: str) -> PendingResult:
        """Wait for messages under these names."""
        expected = PendingResult(self, game_id, names, channel)
        with self._guard:
            self._expected.setdefault(game_id, []).append(expected)
            for name in names:
                self._named.setdefault(name, []).append(expected)
        return expected

    def expect_no_more(self, expected: PendingResult) -> None:
        """Remove a closed wait."""
        with self._guard:
            _taken_out(self._expected, expected.game_id, expected)
            for name in expected.names:
                _taken_out(self._named, name, expected)

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        with self._guard:
            self._forgetters.append(forget)

    def tell(self, game_id: GameId, *, directly: bool = False) -> None:
        """Pass on news of a game; ``directly``: clients that waited for this commit were informed separately."""
        if self._waiters or self._expected:
            with self._guard:
                waiters = [*self._waiters.get(game_id, ()), *self._waiters.get(ALL_GAMES, ())]
                expected = [each for each in self._expected.get(game_id, ()) if each.heeds_news or not directly]
            for waiter in waiters:
                waiter.tell()
            for each in expected:
                each.ring()

    def tell_of(self, name: Hashable, commit: Callable[[GameId], Stored], *, last: bool) -> None:
        """Pass on the commit of a submission; ``last``: the last of its request."""
        with self._guard:
            expected = tuple(self._named.get(name, ()))
        for each in expected:
            each.tell(name, commit, last=last)

    def tell_all(self) -> None:
        """Wake all, because news of any game may have been missed."""
        with self._guard:
            waiters = [waiter for waiting in self._waiters.values() for waiter in waiting]
            expected = [each for waiting in self._expected.values() for each in waiting]
        for waiter in waiters:
            waiter.tell()
        for each in expected:
            each.ring()

    def revoked(self, credential: str) -> None:
        """Pass on a revoked credential (``*``: any may be)."""
        with self._guard:
            forgetters = tuple(self._forgetters)
        for forget in forgetters:
            forget(credential)


def _taken_out(where: dict[K, list[PendingResult]], name: K, expected: PendingResult) -> None:
    waiting = where.get(name, [])
    if expected in waiting:
        waiting.remove(expected)
    if not waiting:
        where.pop(name, None)
