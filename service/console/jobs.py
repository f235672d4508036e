"""RQ's queues and failed jobs, as RQ knows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rq.exceptions import DeserializationError, NoSuchJobError
from rq.job import Job
from rq.serializers import JSONSerializer

from service.core.queue import Queue

MOST = 50
"""Failed jobs that are shown per queue."""


@dataclass(frozen=True, slots=True)
class FailedJob:
    id: str
    function: str
    ended_at: datetime | None
    error: str
    """The last line of its traceback."""


@dataclass(frozen=True, slots=True)
class QueueStatus:
    name: str
    waiting: int
    failed: Sequence[FailedJob]
    more_failed: int


def read_queues(queue: Queue) -> list[QueueStatus]:
    """Every queue, with its failed jobs whose work no later job has done. Raises `RedisError`."""
    waiting, failed = queue.waiting(), queue.failed()
    return [
        QueueStatus(
            name,
            count,
            [_failed_job(queue, id_) for id_ in failed.get(name, [])[:MOST]],
            max(0, len(failed.get(name, [])) - MOST),
        )
        for name, count in waiting.items()
    ]


def _failed_job(queue: Queue, id_: str) -> FailedJob:
    try:
        job = Job.fetch(id_, connection=queue.connection, serializer=JSONSerializer)
        result = job.latest_result()
        lines = (result.exc_string or "").strip().splitlines() if result else []
        return FailedJob(id_, job.func_name or "", job.ended_at, lines[-1] if lines else "")
    except (NoSuchJobError, DeserializationError):
        return FailedJob(id_, "", None, "The job cannot be read.")
