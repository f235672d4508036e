"""Reads the status of store and queue in a few round trips. Writes nothing, and reads no secret."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from redis.exceptions import RedisError
from rq.worker import BaseWorker, Worker

from domain import RELEASE
from service.core.queue import Queue
from service.core.queue.compute import ComputeQueue
from service.ops.settings import redis_url
from service.ops.status.slow import settled
from service.ops.status.status import DueTimes, Jobs, Lane, ServerStatus, ServiceStatus
from service.store.ports.errors import StoreDown
from service.store.redis.probe import info
from service.store.redis.store import Store
from service.store.upkeep.store_identity import standing

SOON, LATER = 60_000, 3_600_000
"""Milliseconds that count as due soon, and due later."""

OLDEST = 5
"""Number of games with waiting commands that are listed."""


def read_status(store: Store, queue: Queue) -> ServiceStatus:
    """Read the status. Raises `StoreDown`."""
    began = time.perf_counter()
    now = store.schedule.now()
    stands = standing(store.wire)
    waits = sorted(store.schedule.waiting(), key=lambda each: -each.milliseconds)
    jobs = _jobs(queue)
    seen = ServiceStatus(
        at=now,
        took=0.0,
        release=RELEASE,
        where=redis_url.shown(store.wire.url),
        made=stands.games if stands else 0,
        counts={**store.schedule.census(), **_counts(store)},
        waiting=[(each.game_id, each.milliseconds) for each in waits[:OLDEST]],
        more_waiting=max(0, len(waits) - OLDEST),
        due=_due(store, now),
        outbox=store.outbox.census(),
        streams=_streams(store),
        servers=_servers(store),
        jobs=jobs,
        settled=settled(store, [lane.stats for lane in jobs.lanes] if jobs else []),
    )
    return replace(seen, took=time.perf_counter() - began)


def _counts(store: Store) -> Mapping[str, int]:
    partitions = store.keys.partitions
    commands = [("ZCARD", each.lobbies) for each in partitions] + [("HLEN", each.archive) for each in partitions]
    replies = store.wire.all(commands)
    return {"lobbies": sum(replies[: len(partitions)]), "archived": sum(replies[len(partitions) :])}


def _due(store: Store, now: int) -> DueTimes:
    bounds = ((f"({now}", 0), (f"({now + SOON}", now), (f"({now + LATER}", now))
    names = [each.due for each in store.keys.partitions]
    commands: list[tuple[str | int, ...]] = [
        ("ZCOUNT", name, least or "-inf", most) for most, least in bounds for name in names
    ]
    commands += [("ZCARD", name) for name in names]
    first = [("ZRANGE", name, 0, 0, "WITHSCORES") for name in names]
    replies = store.wire.all([*commands, *first])
    late, minute, hour, count = (
        sum(replies[place : place + len(names)]) for place in range(0, 4 * len(names), len(names))
    )
    oldest = min((int(float(reply[1])) for reply in replies[4 * len(names) :] if reply), default=now)
    return DueTimes(late, max(0, now - oldest), minute, hour, count)


def _streams(store: Store) -> int:
    """The sum of the numbers that the API processes last reported."""
    return sum(int(each.rpartition(" ")[2]) for each in store.places.held("streams"))


def _servers(store: Store) -> list[ServerStatus]:
    found = []
    for name, line in store.wire.servers().items():
        try:
            told = info(line)
        except (RedisError, StoreDown):
            continue
        found.append(
            ServerStatus(
                name if store.wire.is_cluster else "store",
                int(told.get("used_memory", 0)),
                int(told.get("maxmemory", 0)),
                int(told.get("instantaneous_ops_per_sec", 0)),
                int(told.get("connected_clients", 0)),
                int(told.get("connected_slaves", 0)),
                _behind(told),
                told.get("aof_last_write_status", "ok") == "ok",
            )
        )
    return found


def _behind(told: Mapping[str, str]) -> int:
    """Replication lag of the slowest replica, in bytes."""
    ours = int(told.get("master_repl_offset", 0))
    lines = [value for name, value in told.items() if name.startswith("slave") and "offset=" in value]
    theirs = [
        int(part.removeprefix("offset=")) for line in lines for part in line.split(",") if part.startswith("offset=")
    ]
    return max((ours - each for each in theirs), default=0)


def _jobs(queue: Queue) -> Jobs | None:
    try:
        stats = queue.lanes.stats()
        return Jobs(
            queue.waiting(),
            {name: len(ids) for name, ids in queue.failed().items()},
            queue.lanes.unread(),
            [f"{_queue_of(each)} {each.get_state()}" for each in Worker.all(connection=queue.connection)],
            [Lane(lane, stats[lane]) for lane in sorted(stats)],
            queue.settling(),
            queue.lanes.count,
            ComputeQueue(queue.connection).workers(),
            queue.serving(),
        )
    except RedisError:
        return None


def _queue_of(worker: BaseWorker) -> str:
    return ",".join(worker.queue_names()) or "?"
