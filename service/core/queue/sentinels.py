"""The Sentinels' view of the queue's server: for operators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from redis.exceptions import RedisError, ResponseError

from service.core.queue.connected import sentinels_of
from service.ops.settings import redis_url


def surveyed(url: str) -> tuple[list[str], list[str]]:
    """Sentences about the server, and about problems; empty without Sentinels in the URL."""
    told = redis_url.read(url)
    if told.form != "sentinel":
        return [], []
    said, wrong = [], []
    masters = set()
    asked = sentinels_of(told).sentinels
    for (host, port), client in zip(told.hosts, asked, strict=True):
        name = f"{host}:{port}"
        try:
            with closing(client):
                known = client.sentinel_master(told.service)
                faults = list(_faults(client, told.service, known))
        except (RedisError, OSError) as error:
            wrong.append(f"Sentinel {name} did not return the server of {told.service}: {error}.")
            continue
        master = f"{known['ip']}:{known['port']}"
        masters.add(master)
        said.append(
            f"The queue is on {master}, according to Sentinel {name}: replicas {known['num-slaves']}; of"
            f" {known['num-other-sentinels'] + 1} Sentinels {known['quorum']} must agree that it is down."
        )
        wrong += [f"Sentinel {name} reports a problem of the queue's server {master}: {fault}." for fault in faults]
    if len(masters) > 1:
        wrong.append(f"The Sentinels do not agree on the queue's server: {', '.join(sorted(masters))}.")
    return said, wrong


def _faults(client: Any, service: str, known: Any) -> Iterator[str]:
    down: Sequence[str] = [flag for flag in ("is_sdown", "is_odown", "is_disconnected") if known.get(flag)]
    if down:
        yield "it does not answer"
    if not known["num-slaves"]:
        yield "no replica can take its place"
    try:
        client.sentinel_ckquorum(service)
    except ResponseError as error:
        yield f"a failover is not possible ({error})"
