"""Requests a minute for one player or address, declared in `RateLimit` headers."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network

from flask import request

from service.core.http.problems import Problem
from service.store.redis.accounts import Accounts

MAX_BUCKETS = 50_000
"""Maximum number of buckets. If there are more, old ones are dropped, which only lets more requests through."""


BURST = 1.0
"""Seconds of work (see `RateLimiter.charge`) that one client may cause at once."""

REFILL = 0.25
"""Seconds of work that one client may cause in each second."""


@dataclass(slots=True)
class Bucket:
    """Requests left at an instant, and seconds of work owed."""

    left: float
    at: float
    work: float = 0.0


class RateLimiter:
    """A token bucket for every player or address, in this process: counting in the store would cost a round trip.

    With several processes, each allows the full rate. Limits that must be exact (registrations) are counted in the
    store.
    """

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self.policy = f'"requests";q={per_minute};w=60'
        self._buckets: dict[str, Bucket] = {}

    def take(self, client: str) -> str | None:
        """Count a request. Returns the value of its `RateLimit` header, or None without a limit.

        Raises the problem of too many requests.
        """
        if not self.per_minute:
            return None
        bucket, rate = self._bucket(client), self.per_minute / 60
        if bucket.left < 1 or bucket.work > BURST:
            seconds = math.ceil(max((1 - bucket.left) / rate, (bucket.work - BURST) / REFILL))
            problem = limit_problem(seconds)
            problem.headers |= {"RateLimit": f'"requests";r=0;t={seconds}', "RateLimit-Policy": self.policy}
            raise problem
        bucket.left -= 1
        return f'"requests";r={int(bucket.left)};t={math.ceil((self.per_minute - bucket.left) / rate)}'

    def charge(self, client: str, seconds: float) -> None:
        """Charge a client for the work of a request: its CPU time, and bytes counted as time."""
        if self.per_minute:
            self._bucket(client).work += seconds

    def _bucket(self, client: str) -> Bucket:
        """The client's bucket at this time."""
        now = time.monotonic()
        bucket = self._buckets.get(client)
        if bucket is None:
            if len(self._buckets) >= MAX_BUCKETS:
                self._buckets.clear()
            bucket = self._buckets[client] = Bucket(self.per_minute, now)
        passed, bucket.at = now - bucket.at, now
        bucket.left = min(float(self.per_minute), bucket.left + passed * self.per_minute / 60)
        bucket.work = max(0.0, bucket.work - passed * REFILL)
        return bucket


def client_address() -> str:
    """The client's address, for counting."""
    return network_of(request.remote_addr or "")


@lru_cache(maxsize=4096)
def network_of(text: str) -> str:
    """An address for counting: an IPv6 address by its /64 network, because a client has countless addresses."""
    try:
        found = ip_address(text)
    except ValueError:
        return text
    if isinstance(found, IPv4Address):
        return text
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((found, 64), strict=False))


def count_hourly(accounts: Accounts, bucket: str, per_hour: int, code: str = "too-many-requests") -> None:
    """Count a use of the bucket in the store, for all processes. Raises the problem of too many in an hour; 0 means no limit."""
    if per_hour:
        allowed, _, seconds = accounts.allow(bucket, per_hour, per_hour / 3600)
        if not allowed:
            raise limit_problem(seconds, code)


def count_daily(accounts: Accounts, bucket: str, per_day: int, detail: str, code: str = "too-many-requests") -> None:
    """As `count_hourly`, for a day, with the detail of the problem."""
    if per_day:
        allowed, _, seconds = accounts.allow(bucket, per_day, per_day / (24 * 3600))
        if not allowed:
            raise limit_problem(seconds, code, detail)


def count_registration(accounts: Accounts, address: str, per_hour: int) -> None:
    """Count a new account of an address. Raises the problem of too many."""
    count_hourly(accounts, f"register:{address}", per_hour)


def limit_problem(seconds: int, code: str = "too-many-requests", detail: str = "") -> Problem:
    """The problem of a reached limit; ``seconds`` until the next request is allowed."""
    return Problem(code, detail, headers={"Retry-After": str(max(1, seconds))})
