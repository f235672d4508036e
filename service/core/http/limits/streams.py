"""Number of open streams per account and address, counted in the store for all processes.

Each open stream has a lease that expires, so that a killed process leaves none behind. The processes renew theirs from
time to time, all in one call.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from domain.kernel.terms import PlayerId
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem
from service.store.ports.errors import StoreDown
from service.store.redis.side_data.semaphores import Semaphores

LEASE_SECONDS = 180
"""Seconds that the streams of a killed process still count."""

RENEWAL_SECONDS = 60.0
"""Seconds after which a process renews its leases."""

REPORT_INTERVAL, REPORT_SECONDS = 5.0, 20
"""Seconds between a process's reports of its open streams, and how long a report is valid."""

REPORT_LEASES = "streams"
"""The name of the leases used for reports: each holder is a process, a space, and a number."""

MAX_RETRY_SECONDS = 30
"""Seconds after which a retry may succeed."""

StreamLeases = tuple[tuple[str, str], ...]


class StreamLimiter:
    """The streams of this process."""

    def __init__(self, places: Semaphores, per_account: int, per_address: int) -> None:
        self._places = places
        self._limits = {"account": per_account, "address": per_address}
        self._open: dict[str, StreamLeases] = {}
        self._renewed_at = time.monotonic()
        self._name, self._reported_at, self._report_holder = secrets.token_hex(4), float("-inf"), ""

    def count(self, player_id: PlayerId | None, address: str, chunks: Iterator[bytes]) -> CountedStream:
        """A response that counts until it is closed. Raises the problem of too many streams."""
        return CountedStream(self, self.open(player_id, address), chunks)

    @contextmanager
    def count_request(self, player_id: PlayerId | None, address: str) -> Iterator[None]:
        """A waiting request counts as a stream in the meantime."""
        id_ = self.open(player_id, address)
        try:
            yield
        finally:
            self.close(id_)

    def open(self, player_id: PlayerId | None, address: str) -> str:
        """The id of a new stream. Raises the problem of too many."""
        id_ = secrets.token_hex(8)
        leases: list[tuple[str, str]] = []
        wanted = [("account", player_id)] if player_id is not None else []
        for kind, owner in (*wanted, ("address", address)):
            limit, name = self._limits[kind], f"streams:{kind}:{owner}"
            if not limit:
                continue
            is_acquired, seconds = self._places.hold(name, id_, limit, LEASE_SECONDS)
            if not is_acquired:
                self._places.let_go(leases)
                raise _too_many_streams(kind, limit, seconds)
            leases.append((name, id_))
        self._open[id_] = tuple(leases)
        return id_

    def close(self, id_: str) -> None:
        """The stream has ended, for any reason."""
        leases = self._open.pop(id_, ())
        try:
            self._places.let_go(leases)
        except StoreDown:
            return  # it expires

    def renew(self) -> None:
        """Renew the leases of all streams of this process, and report their number, if it is time."""
        now = time.monotonic()
        try:
            if now - self._reported_at >= REPORT_INTERVAL:
                self._reported_at = now
                self._report()
            if now - self._renewed_at < RENEWAL_SECONDS:
                return
            self._renewed_at = now
            self._places.keep([lease for leases in list(self._open.values()) for lease in leases], LEASE_SECONDS)
        except StoreDown:
            return  # the streams themselves will notice

    def _report(self) -> None:
        """Report how many streams this process has open, for operators."""
        holder = f"{self._name} {len(self._open)}"
        if self._report_holder not in ("", holder):
            self._places.let_go([(REPORT_LEASES, self._report_holder)])
        self._report_holder = holder
        self._places.keep([(REPORT_LEASES, holder)], REPORT_SECONDS)


class CountedStream:
    """The chunks of a response, counted until it is closed, read or not."""

    def __init__(self, limiter: StreamLimiter, id_: str, chunks: Iterator[bytes]) -> None:
        self._limiter, self._id, self._chunks = limiter, id_, chunks

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self._limiter.renew()
        try:
            return next(self._chunks)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Called by the server at the end."""
        close = getattr(self._chunks, "close", None)
        try:
            if close is not None:
                close()
        finally:
            self._limiter.close(self._id)


def _too_many_streams(kind: str, limit: int, seconds: int) -> Problem:
    detail = f"At most {limit} can be open for one {kind} at a time. Close one of them."
    return limit_problem(min(MAX_RETRY_SECONDS, seconds), "too-many-streams", detail)
