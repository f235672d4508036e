"""Requests to compute workers: pictures and checks of positions, with limits on time, memory and waiting."""

from __future__ import annotations

import time

import orjson
import pytest
from rq import Queue as JobQueue
from rq.serializers import JSONSerializer

from domain.games.battalia.game import BATTALIA
from domain.kernel.game.rules import Setup
from service.core.http.context.compute_jobs import ComputeJobs, JobLimitExceeded
from service.core.http.problems import Problem
from service.core.queue import Queue
from service.core.queue.compute import REQUESTS, WAITING, ComputeRequests, JobFailed
from service.store.codec import encode_state
from tests.battalia.table import table
from tests.workers.crew import Crew, eventually

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20"><text x="2" y="15" font-size="14">Ash</text></svg>'


@pytest.fixture
def crew(redis_url, tmp_path):
    crew = Crew(redis_url, tmp_path)
    yield crew
    crew.end()


@pytest.fixture
def queue(crew):
    return Queue(crew.queue_url)


@pytest.mark.timeout(180)
def test_worker_gives_the_same_results_and_ends_requests_that_exceed_their_bounds(crew, queue):
    crew.start("compute")
    here, there, requests = ComputeJobs(None, 1), ComputeJobs(queue, 60), ComputeRequests(queue.connection)
    state = table()
    setup = BATTALIA.rules.check(Setup(len(state.players), state.ruleset, state.options, state.modules))

    assert here.render_png(SVG, 300, "ash") == there.render_png(SVG, 300, "ash")
    for given in (
        {},
        [],
        encode_state(state),
        {**encode_state(state), "day": 10**8},
        {**encode_state(state), "order": []},
    ):
        document = orjson.loads(orjson.dumps(given))
        assert here.check_position(BATTALIA, setup, document, "ash") == there.check_position(
            BATTALIA, setup, document, "ash"
        )
    began = time.monotonic()
    with pytest.raises(JobFailed):
        requests.result("tests.workers.pondering.endless", [1], 60, "ash")
    assert time.monotonic() - began < 50
    with pytest.raises(JobFailed):
        requests.result("tests.workers.pondering.large", [60], 60, "ash")
    assert here.render_png(SVG, 200, "ash") == there.render_png(SVG, 200, "ash"), "the worker goes on"
    assert not any(queue.failed().values()), "what a client caused is no failure of the service"


def test_request_without_a_worker_is_removed_and_answered_with_too_much_work(queue):
    jobs = ComputeJobs(queue, 1)
    with pytest.raises(Problem) as raised:
        jobs.render_png(SVG, 300, "ash")

    assert ("too-much-work", 503) == (raised.value.code, raised.value.document["status"])
    assert int(raised.value.headers["Retry-After"]) > 0
    assert 0 == queue.waiting()[REQUESTS]
    assert not queue.connection.keys("rq:job:*")


def test_request_is_rejected_at_once_if_the_queue_is_full_or_away(queue):
    queue.connection.rpush("rq:queue:compute:requests", *range(WAITING))
    for jobs in (ComputeJobs(queue, 60), ComputeJobs(Queue("redis://127.0.0.1:1"), 60)):
        began = time.monotonic()
        with pytest.raises(Problem, match="too-much-work"):
            jobs.render_png(SVG, 300, "ash")
        assert time.monotonic() - began < 30


def test_failed_request_is_a_bound_of_a_position_and_too_much_work_for_a_picture(queue, monkeypatch):
    def fails(*_given):
        raise JobFailed

    monkeypatch.setattr(ComputeRequests, "result", fails)
    jobs, state = ComputeJobs(queue, 1), table()
    with pytest.raises(JobLimitExceeded):
        jobs.check_position(BATTALIA, BATTALIA.rules.check(Setup(len(state.players), state.ruleset)), {}, "ash")
    with pytest.raises(Problem, match="too-much-work"):
        jobs.render_png(SVG, 300, "ash")


def test_account_has_one_request_at_a_time(queue):
    jobs = ComputeJobs(queue, 1)
    with queue.connection.lock("oraclewheel:request:ash"):
        with pytest.raises(Problem, match="too-much-work"):
            jobs.render_png(SVG, 300, "ash")
        assert not queue.connection.exists("rq:queues"), "it was not even enqueued"
        with pytest.raises(Problem, match="too-much-work"):
            jobs.render_png(SVG, 300, "birk")
    assert queue.connection.exists("rq:queues")
    assert not queue.connection.exists("oraclewheel:request:birk")


@pytest.mark.soak
def test_side_worker_takes_side_jobs_and_requests_in_turn(crew, queue, tmp_path):
    for _ in range(3):
        queue.enqueue_side("tests.workers.pondering.note", str(tmp_path), "side")
    request = JobQueue(REQUESTS, connection=queue.connection, serializer=JSONSerializer)
    request.enqueue("tests.workers.pondering.note", str(tmp_path), "request")
    assert queue.side_waits()
    crew.start("side")

    notes = tmp_path / "notes"
    eventually(lambda: notes.exists() and len(notes.read_text().split()) == 4)
    assert ["side", "request", "side", "side"] == notes.read_text().split()


def test_request_of_an_api_process_that_died_expires(queue, monkeypatch):
    def dies(*_given):
        raise SystemExit

    monkeypatch.setattr("service.core.queue.compute._result", dies)
    with pytest.raises(SystemExit):
        ComputeRequests(queue.connection).result("tests.workers.pondering.endless", [1], 5, "ash")
    (key,) = queue.connection.keys("rq:job:*")
    assert 0 < queue.connection.ttl(key) <= 20
