"""All watched games of this process, and the timer that sends comments to idle streams."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from domain.kernel.terms import GameId
from service.core.http.context.app import AppContext
from service.core.http.streaming.listeners import Listener, LogPosition
from service.core.http.streaming.watch import GameWatch
from service.ops.logging import logger
from service.store.ports.errors import StoreDown

WATCHES = "oraclewheel-watches"
"""Key of the watches among an app's extensions."""

TICK_SECONDS = 1.0
"""Seconds between two ticks of the timer."""

HEARTBEAT_SECONDS = 15.0
"""Seconds between two comments to a stream."""

RECHECK_SECONDS = 5.0
"""Seconds after which a game is read without news, which may have been lost."""

GAMES_PER_CALL = 256
"""Games checked in one round trip."""

log = logger("streams")


class WatchRegistry:
    """The watches of this process, which exist while they are used."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._watches: dict[GameId, GameWatch] = {}
        self._wheel: deque[dict[Listener, GameWatch]] = deque()
        """Listeners by tick: who gets a comment at the next tick, at the one after that, and so on in a circle."""
        self._is_running = False
        context.tokens.on_forget.append(self._recheck_token)

    @contextmanager
    def watch(self, game_id: GameId) -> Iterator[GameWatch]:
        """The watch of a game, while it is used. A listener that joins in time gets everything from now on."""
        with self._lock:
            watch = self._watches.get(game_id)
            if watch is None:
                watch = self._watches[game_id] = GameWatch(self._context, game_id)
            watch.user_count += 1
            self._start_timer()
        try:
            yield watch
        finally:
            with self._lock:
                watch.user_count -= 1
                if not watch.user_count:
                    del self._watches[game_id]
                    watch.close()

    @contextmanager
    def heartbeats(self, watch: GameWatch, listener: Listener) -> Iterator[None]:
        """In the block, the stream gets comments periodically, each in its own tick."""
        with self._lock:
            slot = min(reversed(self._wheel), key=len)
            slot[listener] = watch
        try:
            yield
        finally:
            with self._lock:
                slot.pop(listener, None)

    def _recheck_token(self, credential: str) -> None:
        """Some rights may be lost (``*``: any)."""
        for watch in list(self._watches.values()):
            if credential == "*" or any(credential == held for _, held in watch.tokens):
                watch.request_check()

    # -- the timer ----------------------------------------------------------------------------------------------------

    def _start_timer(self) -> None:
        if not self._is_running:
            self._is_running = True
            self._wheel = deque({} for _ in range(max(1, round(HEARTBEAT_SECONDS / TICK_SECONDS))))
            for work in (self._send_heartbeats, self._check):  # a store that does not respond does not delay comments
                threading.Thread(target=self._run_timer, args=(work,), name="stream-timer", daemon=True).start()

    def _run_timer(self, work: Callable[[], None]) -> None:
        wheel, due = self._wheel, time.monotonic()
        while True:
            now = time.monotonic()
            due = max(due + TICK_SECONDS, now)
            time.sleep(due - now)
            with self._lock:
                if self._wheel is not wheel:  # all had left, and others have joined
                    return
                if not self._watches:
                    self._is_running = False
                    return
            try:
                work()
            except Exception:
                log.exception("stream_timer_failed")

    def _send_heartbeats(self) -> None:
        with self._lock:
            self._wheel.rotate(-1)
            silent = list(self._wheel[-1].items())
        for listener, watch in silent:
            watch.send_heartbeat(listener)

    def _check(self) -> None:
        """Renew the streams' leases, and read again games that have changed, or check their listeners' rights."""
        self._context.stream_limiter.renew()
        now = time.monotonic()
        due = [watch for watch in list(self._watches.values()) if now - watch.checked_at >= RECHECK_SECONDS]
        for first in range(0, len(due), GAMES_PER_CALL):
            some = due[first : first + GAMES_PER_CALL]
            for watch in some:
                watch.checked_at = now
            for watch in self._find_changed(some):
                watch.request_check()

    def _find_changed(self, watches: list[GameWatch]) -> list[GameWatch]:
        """Those that have changed, or may have: in a lobby seats change hands."""
        started = [watch for watch in watches if watch.position.seq]
        tokens = {token for watch in started for token in watch.tokens}
        try:
            heads = self._context.store.log.heads([watch.game_id for watch in started])
            held = self._context.store.accounts.held(tokens)
        except StoreDown:
            return watches
        return [
            watch
            for watch in watches
            if not watch.position.seq
            or watch.position != LogPosition(*heads.get(watch.game_id, (0, "")))
            or watch.tokens - held
        ]
