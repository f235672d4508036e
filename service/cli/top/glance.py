"""What is seen of a service at a moment: games, queues, workers, what is due, what is owed, servers, slow commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.cli.top.slow import Settled
from service.store.ports.outbox import OutboxCensus


@dataclass(frozen=True, slots=True)
class Server:
    """One server that takes writes: figures of INFO."""

    name: str
    """``store``; in a cluster a primary's host and port."""
    memory: int
    most: int
    """Bytes in use, and how many there may be; 0 is no limit."""
    ops: int
    """Commands a second."""
    clients: int
    replicas: int
    behind: int
    """Bytes by which the last of its replicas is behind; 0 without replicas."""
    written: bool
    """Whether its append-only file is written without error, if it has one."""


@dataclass(frozen=True, slots=True)
class DueTimes:
    """What SYSTEM is to submit, by when."""

    late: int
    latest: int
    """How many are up and not submitted, and for how many milliseconds the oldest of them."""
    minute: int
    hour: int
    """Within the next minute, and the next hour."""
    all: int


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane whose job runs, or ran in the last seconds."""

    number: int
    stats: Mapping[str, Any]
    """See `workers.settle.SettleStats.snapshot`."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """RQ's side: queues and workers."""

    waiting: Mapping[str, int]
    failed: Mapping[str, int]
    wakes: int
    """Wakes that no settle job has read yet."""
    workers: Sequence[str]
    """The state of each worker process, such as ``settle:0 busy``."""
    lanes: Sequence[Lane]
    settling: int
    settle_workers: int
    """Lanes with a live settle worker, and how many there should be."""
    thinkers: int
    """Processes that think for bots and give a sign of life."""
    serving: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """Everything on one screen."""

    at: int
    """By the store's clock."""
    took: float
    """Seconds that looking took."""
    release: str
    where: str
    made: int
    """Games ever made."""
    counts: Mapping[str, int]
    """As `Log.census`; besides ``lobbies`` and ``archived``."""
    waiting: Sequence[tuple[str, int]]
    """Games whose commands wait for longest, and for how many milliseconds."""
    more_waiting: int
    due: DueTimes
    outbox: OutboxCensus
    streams: int
    """Streams, downloads and waits that are open, as the processes of the API have told in the last seconds."""
    servers: Sequence[Server]
    jobs: Jobs | None
    """None where the queue does not answer."""
    settled: Sequence[Settled]
    """The slowest commands that settle jobs have published, the slowest first."""
