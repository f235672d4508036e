"""Number of open streams per account and address, counted in the store for all processes.

Each open stream has a lease that expires, so that a killed process leaves none behind. The processes renew theirs from
time to time, all in one call.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from domain.terms import PlayerId
from service.api.http.problems import Problem
from service.api.limits.rates import too_many
from service.store.ports.errors import StoreDown
from service.store.redis.beside.places import Places

LEASE = 180
"""Seconds that the streams of a killed process still count."""

KEEP = 60.0
"""Seconds after which a process renews its leases."""

TELL, TOLD = 5.0, 20
"""Seconds between a process's reports of its open streams, and how long a report is valid."""

OPEN = "streams"
"""The name of the leases used for reports: each holder is a process, a space, and a number."""

SOON = 30
"""Seconds after which a retry may succeed."""

Held = tuple[tuple[str, str], ...]


class Streams:
    """The streams of this process."""

    def __init__(self, places: Places, per_account: int, per_address: int) -> None:
        self._places = places
        self._most = {"account": per_account, "address": per_address}
        self._open: dict[str, Held] = {}
        self._kept = time.monotonic()
        self._name, self._told, self._said = secrets.token_hex(4), float("-inf"), ""

    def opened(self, player_id: PlayerId | None, address: str, parts: Iterator[bytes]) -> Counted:
        """A response that counts until it is closed. Raises the problem of too many streams."""
        return Counted(self, self.take(player_id, address), parts)

    @contextmanager
    def waiting(self, player_id: PlayerId | None, address: str) -> Iterator[None]:
        """A waiting request counts as a stream in the meantime."""
        id_ = self.take(player_id, address)
        try:
            yield
        finally:
            self.close(id_)

    def take(self, player_id: PlayerId | None, address: str) -> str:
        """The id of a new stream. Raises the problem of too many."""
        id_ = secrets.token_hex(8)
        held: list[tuple[str, str]] = []
        wanted = [("account", player_id)] if player_id is not None else []
        for kind, whose in (*wanted, ("address", address)):
            most, name = self._most[kind], f"streams:{kind}:{whose}"
            if not most:
                continue
            taken, seconds = self._places.hold(name, id_, most, LEASE)
            if not taken:
                self._places.let_go(held)
                raise _too_many(kind, most, seconds)
            held.append((name, id_))
        self._open[id_] = tuple(held)
        return id_

    def close(self, id_: str) -> None:
        """The stream has ended, for any reason."""
        held = self._open.pop(id_, ())
        try:
            self._places.let_go(held)
        except StoreDown:
            return  # it expires

    def keep(self) -> None:
        """Renew the leases of all streams of this process, and report their number, if it is time."""
        now = time.monotonic()
        try:
            if now - self._told >= TELL:
                self._told = now
                self._tell()
            if now - self._kept < KEEP:
                return
            self._kept = now
            self._places.keep([place for held in list(self._open.values()) for place in held], LEASE)
        except StoreDown:
            return  # the streams themselves will notice

    def _tell(self) -> None:
        """Report how many streams this process has open, for operators."""
        saying = f"{self._name} {len(self._open)}"
        if self._said not in ("", saying):
            self._places.let_go([(OPEN, self._said)])
        self._said = saying
        self._places.keep([(OPEN, saying)], TOLD)


class Counted:
    """The parts of a response, counted until it is closed, read or not."""

    def __init__(self, streams: Streams, id_: str, parts: Iterator[bytes]) -> None:
        self._streams, self._id, self._parts = streams, id_, parts

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self._streams.keep()
        try:
            return next(self._parts)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Called by the server at the end."""
        close = getattr(self._parts, "close", None)
        try:
            if close is not None:
                close()
        finally:
            self._streams.close(self._id)


def _too_many(kind: str, most: int, seconds: int) -> Problem:
    detail = f"At most {most} can be open for one {kind} at a time. Close one of them."
    return too_many(min(SOON, seconds), "too-many-streams", detail)
