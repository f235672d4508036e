"""Connections to the queue Redis: a fixed server, or the one that Sentinels name."""

from __future__ import annotations

from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry as Attempts
from redis.sentinel import Sentinel

from service.ops.settings import redis_url


def connected(url: str) -> Redis:
    """A client of one server, or of the one that Sentinels name at each connection; raises `ValueError` for anything else."""
    told = redis_url.read(url)
    # No silent retries: a lost wake costs less than a delay of a second.
    patience: dict[str, Any] = {"retry": Attempts(NoBackoff(), 0), "socket_connect_timeout": 2}
    if told.form == "server":
        return Redis.from_url(url, **patience)
    if told.form == "cluster":
        raise ValueError("RQ cannot use a cluster")
    client: Redis = sentinels_of(told).master_for(told.service, **{**patience, **_own(told)})
    return client


def sentinels_of(told: redis_url.RedisUrl) -> Any:
    """redis-py's `Sentinel` for those in a URL, each with a client in its ``sentinels``."""
    of_tls = {name: value for name, value in _own(told).items() if name.startswith("ssl")}
    patience: dict[str, Any] = {"retry": Attempts(NoBackoff(), 0), "socket_connect_timeout": 2, "socket_timeout": 2}
    return Sentinel(told.hosts, sentinel_kwargs={**patience, **of_tls, **dict(told.sentinels)})  # type: ignore[no-untyped-call]


def _own(told: redis_url.RedisUrl) -> dict[str, Any]:
    own: dict[str, Any] = parse_url(told.of_server(*told.hosts[0]))  # type: ignore[no-untyped-call]
    for word in ("host", "port", "connection_class"):
        own.pop(word, None)
    return {**own, "ssl": True} if told.scheme == "rediss" else own
