"""The status of a service at one moment: games, queues, workers, deadlines, deliveries, servers, slow commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.ops.status.slow import SettledCommand
from service.store.ports.outbox import OutboxStats


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """One server that accepts writes, from INFO."""

    name: str
    """``store``; in a cluster a primary's host and port."""
    memory: int
    most: int
    """Bytes in use, and the limit; 0 means no limit."""
    ops: int
    """Commands per second."""
    clients: int
    replicas: int
    behind: int
    """Lag of the slowest replica in bytes; 0 without replicas."""
    written: bool
    """Whether its append-only file, if there is one, is written without errors."""


@dataclass(frozen=True, slots=True)
class DueTimes:
    """Counts of deadlines that SYSTEM must submit."""

    late: int
    latest: int
    """Number of overdue ones, and the milliseconds since the oldest was due."""
    minute: int
    hour: int
    """Due within the next minute, and within the next hour."""
    all: int


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane whose job runs, or ran in the last seconds."""

    number: int
    stats: Mapping[str, Any]
    """See `workers.settle.SettleStats.snapshot`."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """RQ's queues and workers."""

    waiting: Mapping[str, int]
    failed: Mapping[str, int]
    wakes: int
    """Wakes that no settle job has read yet."""
    workers: Sequence[str]
    """The state of each worker process, such as ``settle:0 busy``."""
    lanes: Sequence[Lane]
    settling: int
    settle_workers: int
    """Lanes with a live settle worker, and the expected number."""
    thinkers: int
    """Search processes with a recent heartbeat."""
    serving: bool


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The complete status, for one screen."""

    at: int
    """Milliseconds of Unix time by the store's clock."""
    took: float
    """Seconds needed to read the status."""
    release: str
    where: str
    made: int
    """Number of games created so far."""
    counts: Mapping[str, int]
    """The counts of `Log.census`, with ``lobbies`` and ``archived``."""
    waiting: Sequence[tuple[str, int]]
    """Games whose commands have waited longest, with the milliseconds."""
    more_waiting: int
    due: DueTimes
    outbox: OutboxStats
    streams: int
    """Open streams, downloads and waits, as reported by the API processes in the last seconds."""
    servers: Sequence[ServerStatus]
    jobs: Jobs | None
    """None if the queue does not answer."""
    settled: Sequence[SettledCommand]
    """The slowest commands published by settle jobs, slowest first."""
