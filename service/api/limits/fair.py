"""Whose turn it is where there is room for few: whoever has had least of it lately, however often others ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

HALF_LIFE = 30.0
"""Seconds after which half of what somebody has had is forgotten."""

MUCH = 2.0
"""Seconds of work: who has had so much lately leaves one place to those who have not."""

MOST = 4096
"""Askers remembered at a time."""


class RecentUse:
    """How many seconds of work each asker has had lately."""

    def __init__(self) -> None:
        self._had: dict[str, tuple[float, float]] = {}

    def of(self, who: str) -> float:
        """What is not forgotten yet."""
        had, at = self._had.get(who, (0.0, 0.0))
        return had * 0.5 ** ((time.monotonic() - at) / HALF_LIFE) if had else 0.0

    def add(self, who: str, seconds: float) -> None:
        """So much more."""
        if len(self._had) >= MOST:
            self._had = {each: self._had[each] for each in self._had if self.of(each) > MUCH / 10}
        if len(self._had) >= MOST:
            self._had.clear()
        self._had[who] = (self.of(who) + seconds, time.monotonic())


@dataclass(eq=False, slots=True)
class Waiter:
    """One asker's place in a line, and then one of the places that it leads to."""

    who: str
    called: threading.Event = field(default_factory=threading.Event)
    """Set when it is their turn."""


class Line:
    """Those who wait for one of a few places, each asker for one at a time where there are several.

    Of several places one is kept from those who have had much lately: else two of them would have both, and whoever comes
    once in a while would wait until one of them is done.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._guard = threading.Lock()
        self._waiting: list[Waiter] = []
        self._inside: dict[Waiter, float] = {}
        """Those who have a place, and since when."""
        self._had = RecentUse()

    @contextmanager
    def place(self, who: str, seconds: float) -> Iterator[bool]:
        """Wait so long at most; whether there is a place. It is given back at the end."""
        waiter = self.join(who)
        try:
            yield waiter.called.wait(seconds)
        finally:
            self.leave(waiter)

    @property
    def waiting(self) -> int:
        """The number of those who wait."""
        return len(self._waiting)

    def join(self, who: str) -> Waiter:
        """Stand in line; whoever does must `leave`, called or not."""
        waiter = Waiter(who)
        with self._guard:
            self._waiting.append(waiter)
            self._let_in()
        return waiter

    def leave(self, waiter: Waiter, used: float | None = None) -> None:
        """Out of the line, or out of the place, which counts as ``used`` seconds: by default all since it was given."""
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
            chosen = min(free, key=lambda waiter: self._had.of(waiter.who))  # of equals the first who came
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
