"""A killed job counts as failed until a later job has done its work."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from rq import Queue as JobQueue
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer

from service.cli import main
from service.core.queue import SIDE, Queue
from service.core.queue.failures import note_done
from tests.core.http.conftest import World
from tests.workers.crew import Crew
from tests.workers.crew import eventually as waited

pytestmark = pytest.mark.timeout(1200)

FAILS = "tests.workers.with_pennies.fails_once"


@pytest.fixture
def crew(redis_store, redis_url, tmp_path):
    made = Crew(redis_url, tmp_path)
    yield made
    made.end()


@pytest.fixture
def queue(crew):
    return Queue(crew.queue_url)


@pytest.fixture
def doctor(redis_store, redis_url, crew, monkeypatch, tmp_path):
    """Run the doctor: its exit status and output."""
    World(redis_store).player("Ash")  # the doctor skips an empty store
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_QUEUE_URL", crew.queue_url)

    def call(*arguments):
        result = CliRunner().invoke(main, ["doctor", *arguments], catch_exceptions=False)
        return result.exit_code, result.output

    return call


def eventually(true):
    """Wait longer than usual: side workers have the lowest priority, and a busy machine starts them late."""
    waited(true, seconds=300, every=0.1)


def jobs(queue):
    return JobQueue(SIDE, connection=queue.connection, serializer=JSONSerializer)


def under_way(queue):
    return StartedJobRegistry(queue=jobs(queue)).get_job_ids(cleanup=False)


def is_given_up(queue):
    """Let RQ abandon jobs whose heartbeat has been missing for long."""
    StartedJobRegistry(queue=jobs(queue)).cleanup(time.time() + 3600)


def killed_drain(queue, crew):
    side = crew.start("side")
    queue.post([0])
    eventually(lambda: under_way(queue))
    crew.kill(side)
    is_given_up(queue)


@pytest.mark.soak
def test_killed_drain_is_reported_until_another_drain_succeeds(doctor, queue, crew):
    killed_drain(queue, crew)
    assert (1, True) == (len(queue.failed()[SIDE]), "1 failed jobs in the queue 'side'" in doctor()[1])

    crew.start("side")
    eventually(lambda: queue.connection.pttl("oraclewheel:drain") < 0)  # its heartbeat key has expired
    queue.post([0])
    eventually(lambda: not queue.failed()[SIDE])
    assert 0 == doctor()[0]


def test_job_killed_before_it_began_is_resolved_by_the_next_job(queue):
    lost, other = (jobs(queue).enqueue("workers.notifications.drain.drain") for _ in range(2))
    jobs(queue).failed_job_registry.add(lost, ttl=600)
    assert lost.started_at is None
    assert [lost.id] == queue.failed()[SIDE]

    other.started_at = datetime.now(UTC)
    note_done(queue.connection, other)
    assert [] == queue.failed()[SIDE]


@pytest.mark.soak
def test_repair_removes_failed_jobs_that_were_done_since_and_retries_the_rest(doctor, queue, crew, tmp_path):
    killed_drain(queue, crew)
    jobs(queue).enqueue("workers.notifications.drain.drain", job_timeout=600, result_ttl=60)
    jobs(queue).enqueue(FAILS, str(tmp_path / "note"))
    crew.start("side")
    eventually(lambda: len(jobs(queue).failed_job_registry) == 2)
    assert (1, 2) == (len(queue.failed()[SIDE]), len(jobs(queue).failed_job_registry.get_job_ids()))

    assert 0 == doctor("--repair")[0]
    eventually(lambda: "tried\ntried\n" == (tmp_path / "note").read_text())
    assert [] == jobs(queue).failed_job_registry.get_job_ids()
    assert 0 == jobs(queue).count, "the drain is not tried again"


@pytest.mark.soak
def test_earlier_successful_job_does_not_resolve_a_later_failure(queue, crew, tmp_path):
    note = tmp_path / "note"
    note.write_text("tried\n")
    crew.start("side")
    jobs(queue).enqueue(FAILS, str(note))
    eventually(lambda: "tried\ntried\n" == note.read_text() and not under_way(queue))
    note.unlink()
    jobs(queue).enqueue(FAILS, str(note))
    eventually(lambda: len(jobs(queue).failed_job_registry) == 1)
    assert 1 == len(queue.failed()[SIDE])
