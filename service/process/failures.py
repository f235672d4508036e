"""Jobs that RQ has given up, but for those whose work another one has done since."""

from __future__ import annotations

from redis import Redis
from rq import Queue as JobQueue
from rq.job import Job

_DONE = "oraclewheel:done"
"""When the newest of the jobs that came to a good end began, for each call: the name of a job with its arguments."""


def note_done(connection: Redis, job: Job) -> None:
    """Write down that a job has come to a good end."""
    if job.started_at is not None:
        connection.hset(_DONE, str(job.description), str(job.started_at.timestamp()))


def unsettled(queue: JobQueue) -> list[str]:
    """The ids of the failed jobs of a queue but for those after which the same call has begun and come to a good end.

    Jobs find their work in the store each time they run: whoever does the same later does what the dead one has left. That one
    was killed is seen long after it (RQ misses its sign of life), so what counts is when they began.
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
