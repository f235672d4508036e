"""A fair queue for a few slots: the client with the least recent use goes first, however often others ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

HALF_LIFE = 30.0
"""Seconds after which half of a client's use is forgotten."""

HEAVY_USE_SECONDS = 2.0
"""Seconds of work: clients with this much recent use leave one slot to the others."""

MAX_CLIENTS = 4096
"""Maximum number of remembered clients."""


class ClientUsage:
    """Seconds of recent work by client."""

    def __init__(self) -> None:
        self._used: dict[str, tuple[float, float]] = {}

    def seconds(self, client: str) -> float:
        """The use that is not forgotten yet."""
        used, at = self._used.get(client, (0.0, 0.0))
        return used * 0.5 ** ((time.monotonic() - at) / HALF_LIFE) if used else 0.0

    def add(self, client: str, seconds: float) -> None:
        """Add to it."""
        if len(self._used) >= MAX_CLIENTS:
            self._used = {each: self._used[each] for each in self._used if self.seconds(each) > HEAVY_USE_SECONDS / 10}
        if len(self._used) >= MAX_CLIENTS:
            self._used.clear()
        self._used[client] = (self.seconds(client) + seconds, time.monotonic())


@dataclass(eq=False, slots=True)
class WaitingClient:
    """A client's place in the queue, and later its slot."""

    client: str
    admitted: threading.Event = field(default_factory=threading.Event)
    """Set when it is their turn."""


class FairQueue:
    """A queue for a few slots, at most one per client if there are several.

    One of several slots is reserved for clients with little recent use. Otherwise two heavy clients would take both,
    and an occasional client would wait until one of them is done.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._lock = threading.Lock()
        self._waiting: list[WaitingClient] = []
        self._admitted: dict[WaitingClient, float] = {}
        """The clients with a slot, and since when."""
        self._usage = ClientUsage()

    @contextmanager
    def slot(self, client: str, seconds: float) -> Iterator[bool]:
        """Wait for a slot for at most so many seconds; yields whether there is one. It is released at the end."""
        waiter = self.join(client)
        try:
            yield waiter.admitted.wait(seconds)
        finally:
            self.leave(waiter)

    @property
    def waiting_count(self) -> int:
        """The number of waiting clients."""
        return len(self._waiting)

    def join(self, client: str) -> WaitingClient:
        """Join the queue. The caller must `leave`, with or without a slot."""
        waiter = WaitingClient(client)
        with self._lock:
            self._waiting.append(waiter)
            self._admit_next()
        return waiter

    def leave(self, waiter: WaitingClient, used: float | None = None) -> None:
        """Leave the queue, or release the slot, which counts as ``used`` seconds: by default all since it was assigned."""
        with self._lock:
            if waiter in self._admitted:
                since = self._admitted.pop(waiter)
                self._usage.add(waiter.client, time.monotonic() - since if used is None else used)
            else:
                self._waiting.remove(waiter)
            self._admit_next()

    def _admit_next(self) -> None:
        while len(self._admitted) < self._slots:
            free = [waiter for waiter in self._waiting if self._can_be_admitted(waiter.client)]
            if not free:
                return
            chosen = min(free, key=lambda waiter: self._usage.seconds(waiter.client))  # the first of equals
            self._waiting.remove(chosen)
            self._admitted[chosen] = time.monotonic()
            chosen.admitted.set()

    def _can_be_admitted(self, client: str) -> bool:
        if self._slots == 1:
            return True
        admitted = [waiter.client for waiter in self._admitted]
        if client in admitted:
            return False
        return (
            self._usage.seconds(client) <= HEAVY_USE_SECONDS
            or sum(self._usage.seconds(each) > HEAVY_USE_SECONDS for each in admitted) < self._slots - 1
        )
