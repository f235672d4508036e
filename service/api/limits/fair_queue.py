"""A fair queue for a few slots: the client with the least recent use goes first, however often others ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

HALF_LIFE = 30.0
"""Seconds after which half of a client's use is forgotten."""

MUCH = 2.0
"""Seconds of work: clients with this much recent use leave one slot to the others."""

MOST = 4096
"""Maximum number of remembered clients."""


class RecentUse:
    """Seconds of recent work by client."""

    def __init__(self) -> None:
        self._had: dict[str, tuple[float, float]] = {}

    def of(self, who: str) -> float:
        """The use that is not forgotten yet."""
        had, at = self._had.get(who, (0.0, 0.0))
        return had * 0.5 ** ((time.monotonic() - at) / HALF_LIFE) if had else 0.0

    def add(self, who: str, seconds: float) -> None:
        """Add to it."""
        if len(self._had) >= MOST:
            self._had = {each: self._had[each] for each in self._had if self.of(each) > MUCH / 10}
        if len(self._had) >= MOST:
            self._had.clear()
        self._had[who] = (self.of(who) + seconds, time.monotonic())


@dataclass(eq=False, slots=True)
class Waiter:
    """A client's place in the queue, and later its slot."""

    who: str
    called: threading.Event = field(default_factory=threading.Event)
    """Set when it is their turn."""


class Line:
    """A queue for a few slots, at most one per client if there are several.

    One of several slots is reserved for clients with little recent use. Otherwise two heavy clients would take both,
    and an occasional client would wait until one of them is done.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._guard = threading.Lock()
        self._waiting: list[Waiter] = []
        self._inside: dict[Waiter, float] = {}
        """The clients with a slot, and since when."""
        self._had = RecentUse()

    @contextmanager
    def place(self, who: str, seconds: float) -> Iterator[bool]:
        """Wait for a slot for at most so many seconds; yields whether there is one. It is released at the end."""
        waiter = self.join(who)
        try:
            yield waiter.called.wait(seconds)
        finally:
            self.leave(waiter)

    @property
    def waiting(self) -> int:
        """The number of waiting clients."""
        return len(self._waiting)

    def join(self, who: str) -> Waiter:
        """Join the queue. The caller must `leave`, with or without a slot."""
        waiter = Waiter(who)
        with self._guard:
            self._waiting.append(waiter)
            self._let_in()
        return waiter

    def leave(self, waiter: Waiter, used: float | None = None) -> None:
        """Leave the queue, or release the slot, which counts as ``used`` seconds: by default all since it was assigned."""
        with self._guard:
            if waiter in self._inside:
                since = self._inside.pop(waiter)
                self._had.add(waiter.who, time.monotonic() - since if used is None else used)
            else:
                self._waiting.remove(waiter)
            self._let_in()

    def _let_in(self) -> None:
        while len(self._inside) < self._places:
            free = [waiter for waiter in self._waiting if self._may(waiter.who)]
            if not free:
                return
            chosen = min(free, key=lambda waiter: self._had.of(waiter.who))  # the first of equals
            self._waiting.remove(chosen)
            self._inside[chosen] = time.monotonic()
            chosen.called.set()

    def _may(self, who: str) -> bool:
        if self._places == 1:
            return True
        inside = [waiter.who for waiter in self._inside]
        if who in inside:
            return False
        return self._had.of(who) <= MUCH or sum(self._had.of(each) > MUCH for each in inside) < self._places - 1
