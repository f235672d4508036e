"""All watched games of this process, and the timer that sends comments to idle streams."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from domain.terms import GameId
from service.api.access.streaming.listeners import Listener, Mark
from service.api.access.streaming.watch import Watch
from service.api.context.app import AppContext
from service.process.logs import logger
from service.store.ports.errors import StoreDown

WATCHES = "oraclewheel-watches"
"""Key of the watches among an app's extensions."""

TICK = 1.0
"""Seconds between two ticks of the timer."""

HEARTBEAT = 15.0
"""Seconds between two comments to a stream."""

REREAD = 5.0
"""Seconds after which a game is read without news, which may have been lost."""

AT_A_TIME = 256
"""Games checked in one round trip."""

log = logger("streams")


class Watches:
    """The watches of this process, which exist while they are used."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._guard = threading.Lock()
        self._watches: dict[GameId, Watch] = {}
        self._wheel: deque[dict[Listener, Watch]] = deque()
        """Listeners by tick: who gets a comment at the next tick, at the one after that, and so on in a circle."""
        self._turning = False
        context.tokens.on_forget.append(self._revoked)

    @contextmanager
    def watched(self, game_id: GameId) -> Iterator[Watch]:
        """The watch of a game, while it is used. A listener that joins in time gets everything from now on."""
        with self._guard:
            watch = self._watches.get(game_id)
            if watch is None:
                watch = self._watches[game_id] = Watch(self._context, game_id)
            watch.wanted += 1
            self._turn_on()
        try:
            yield watch
        finally:
            with self._guard:
                watch.wanted -= 1
                if not watch.wanted:
                    del self._watches[game_id]
                    watch.close()

    @contextmanager
    def comforted(self, watch: Watch, listener: Listener) -> Iterator[None]:
        """In the block, the stream gets comments periodically, each in its own tick."""
        with self._guard:
            slot = min(reversed(self._wheel), key=len)
            slot[listener] = watch
        try:
            yield
        finally:
            with self._guard:
                slot.pop(listener, None)

    def _revoked(self, credential: str) -> None:
        """Some rights may be lost (``*``: any)."""
        for watch in list(self._watches.values()):
            if credential == "*" or any(credential == held for _, held in watch.tokens):
                watch.look()

    # -- the timer ----------------------------------------------------------------------------------------------------

    def _turn_on(self) -> None:
        if not self._turning:
            self._turning = True
            self._wheel = deque({} for _ in range(max(1, round(HEARTBEAT / TICK))))
            for work in (self._comfort, self._look):  # a store that does not respond does not delay comments
                threading.Thread(target=self._turn, args=(work,), name="stream-timer", daemon=True).start()

    def _turn(self, work: Callable[[], None]) -> None:
        wheel, due = self._wheel, time.monotonic()
        while True:
            now = time.monotonic()
            due = max(due + TICK, now)
            time.sleep(due - now)
            with self._guard:
                if self._wheel is not wheel:  # all had left, and others have joined
                    return
                if not self._watches:
                    self._turning = False
                    return
            try:
                work()
            except Exception:
                log.exception("stream_timer_failed")

    def _comfort(self) -> None:
        with self._guard:
            self._wheel.rotate(-1)
            silent = list(self._wheel[-1].items())
        for listener, watch in silent:
            watch.comfort(listener)

    def _look(self) -> None:
        """Renew the streams' leases, and read again games that have changed, or check their listeners' rights."""
        self._context.stream_limiter.renew()
        now = time.monotonic()
        due = [watch for watch in list(self._watches.values()) if now - watch.looked >= REREAD]
        for first in range(0, len(due), AT_A_TIME):
            some = due[first : first + AT_A_TIME]
            for watch in some:
                watch.looked = now
            for watch in self._changed(some):
                watch.look()

    def _changed(self, watches: list[Watch]) -> list[Watch]:
        """Those that have changed, or may have: in a lobby seats change hands."""
        started = [watch for watch in watches if watch.at.seq]
        tokens = {token for watch in started for token in watch.tokens}
        try:
            heads = self._context.store.log.heads([watch.game_id for watch in started])
            held = self._context.store.accounts.held(tokens)
        except StoreDown:
            return watches
        return [
            watch
            for watch in watches
            if not watch.at.seq or watch.at != Mark(*heads.get(watch.game_id, (0, ""))) or watch.tokens - held
        ]
