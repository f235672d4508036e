"""Jobs that RQ has given up, except those whose work a later job has done."""

from __future__ import annotations

from redis import Redis
from rq import Queue as JobQueue
from rq.job import Job

_DONE = "oraclewheel:done"
"""Hash: call (name of a job with its arguments) → start time of its newest successful job."""


def note_done(connection: Redis, job: Job) -> None:
    if job.started_at is not None:
        connection.hset(_DONE, str(job.description), str(job.started_at.timestamp()))


def unsettled(queue: JobQueue) -> list[str]:
    """The ids of the failed jobs of a queue, except those followed by a successful job with the same call.

    Jobs find their work in the store each time they run, so a later one does the work of a failed one. RQ notices a
    killed job long after its death (by a missing heartbeat), so the start times are compared.
    """
    ids = queue.failed_job_registry.get_job_ids()
    if not ids:
        return []
    done: dict[bytes, bytes] = queue.connection.hgetall(_DONE)  # type: ignore[assignment]
    jobs = Job.fetch_many(ids, connection=queue.connection, serializer=queue.serializer)
    return [id_ for id_, job in zip(ids, jobs, strict=True) if job is None or not _is_done(job, done)]


def _is_done(job: Job, done: dict[bytes, bytes]) -> bool:
    newest = done.get(str(job.description).encode())
    # A worker can be killed after it has taken a job and before the job begins.
    began = job.started_at or job.created_at
    return newest is not None and float(newest) > began.timestamp()
