"""The compute queues: a job is enqueued once even if processes die, and running workers are known."""

from __future__ import annotations

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace

import pytest
from rq.utils import now, utcformat

from service.core.positions.cache import Positions
from service.core.queue import Queue
from service.core.queue.compute import (
    ALIVE,
    ANALYSES,
    COMPUTE,
    MOVES,
    PER_ACCOUNT,
    QUEUES,
    ComputeJob,
    ComputeQueue,
    move_job,
)
from service.features.analysis.jobs import analysis_job
from service.features.search_bots import choosing
from service.features.search_bots.requests import GRACE, START, SearchRequests
from service.ops.settings import Settings
from tests.soaking import sample
from tests.workers.crew import Crew, eventually
from tests.workers.pondering import thinkers_of
from tests.workers.test_choosing import acts, kinds, rounds, starting
from workers.advance import Advance
from workers.process import listener, unregister_killed

PONDER = "tests.workers.pondering.ponder"


@pytest.fixture
def crew(redis_url, tmp_path):
    crew = Crew(redis_url, tmp_path)
    yield crew
    crew.end()


@pytest.fixture
def whole(crew):
    return Queue(crew.queue_url)


@pytest.fixture
def queue(whole):
    return ComputeQueue(whole.connection)


@pytest.fixture
def one(whole):
    """A worker that has not started."""
    return listener(COMPUTE, whole.connection)


def heartbeat_ago(worker, seconds):
    worker.connection.hset(worker.key, "last_heartbeat", utcformat(now() - timedelta(seconds=seconds)))


def pondering(folder, id_="it", owner=""):
    return ComputeJob(id_, MOVES, PONDER, (str(folder),), owner)


def test_running_workers_are_those_with_a_recent_heartbeat(queue, whole, one):
    other = listener(COMPUTE, whole.connection)
    assert (0, None) == (queue.workers(), queue.silence())
    for each in (one, other):
        each.register_birth()
    assert (2, True) == (queue.workers(), queue.silence() < 5000)

    heartbeat_ago(one, ALIVE + 1)
    assert 1 == queue.workers()
    heartbeat_ago(one, -ALIVE - 1)
    assert 1 == queue.workers(), "its clock was set back since"
    other.register_death()
    assert 0 == queue.workers()


def test_worker_that_starts_unregisters_killed_workers_of_its_host(queue, whole, one):
    away, gone = listener(COMPUTE, whole.connection), listener(COMPUTE, whole.connection)
    for each in (one, away, gone):
        each.register_birth()
        each.set_current_job_id(each.name)
    ended = subprocess.Popen(["/bin/true"])
    ended.wait()
    whole.connection.hset(gone.key, "pid", ended.pid)
    whole.connection.hset(away.key, mapping={"pid": ended.pid, "hostname": "another"})

    unregister_killed(whole.connection)
    assert {one.name, away.name} == queue.active()


@pytest.mark.parametrize("name", sample(["settle:0", "cron", "side", "compute"], 2))
def test_connection_timeout_is_not_shorter_than_a_worker_waits_for_a_job(whole, name):
    with ThreadPoolExecutor(2) as two:  # one connection waits for a job, the other sends the heartbeat
        list(two.map(lambda _: whole.connection.blpop(["none"], 1), range(2)))
    worker = listener(name, whole.connection)

    pool = whole.connection.connection_pool
    assert [] == [
        made.socket_timeout
        for made in [pool.get_connection() for _ in range(3)]
        if made.socket_timeout < worker.connection_timeout
    ]


def test_waiting_job_is_not_enqueued_again(queue, whole, tmp_path):
    assert (1, 0) == (queue.enqueue([pondering(tmp_path)]), queue.enqueue([pondering(tmp_path)]))
    assert ({"it"}, 1) == (queue.active(), whole.waiting()[MOVES])
    assert 1 == queue.enqueue([pondering(tmp_path, "another"), pondering(tmp_path)])


def test_job_requested_concurrently_is_enqueued_once(queue, whole, tmp_path):
    with ThreadPoolExecutor(20) as many:
        counts = list(many.map(lambda _: ComputeQueue(whole.connection).enqueue([pondering(tmp_path)]), range(60)))
    assert (1, 1) == (sum(counts), queue.waiting())


def test_enqueueing_process_that_died_delays_others_for_seconds_only(queue, whole, tmp_path, monkeypatch):
    monkeypatch.setattr("service.core.queue.compute._ENQUEUE_SECONDS", 1)
    whole.connection.set("oraclewheel:compute-enqueue", "died", px=500)
    assert 1 == queue.enqueue([pondering(tmp_path)])
    whole.connection.set("oraclewheel:compute-enqueue", "slow", px=60_000)
    assert 0 == queue.enqueue([pondering(tmp_path, "another")])


def test_job_taken_by_a_worker_that_died_at_once_is_enqueued_again(queue, whole, tmp_path):
    queue.enqueue([pondering(tmp_path)])
    whole.connection.lpop("rq:queue:compute:moves")

    assert (1, 1) == (queue.enqueue([pondering(tmp_path)]), queue.waiting())


def test_job_of_a_running_worker_is_active_until_its_heartbeats_end(queue, one, tmp_path):
    one.register_birth()
    one.set_current_job_id("it")
    assert ({"it"}, 0) == (queue.active(), queue.enqueue([pondering(tmp_path)]))

    heartbeat_ago(one, ALIVE + 1)
    assert 1 == queue.enqueue([pondering(tmp_path)])


@pytest.mark.soak
def test_job_is_computed_again_if_its_process_or_its_worker_is_killed(crew, queue, tmp_path):
    worker = crew.start(COMPUTE)
    queue.enqueue([pondering(tmp_path)])
    eventually(lambda: len(thinkers_of(tmp_path)) == 1)
    assert worker.pid not in thinkers_of(tmp_path), "each job has a process of its own"

    os.kill(thinkers_of(tmp_path)[-1], signal.SIGKILL)
    eventually(lambda: len(thinkers_of(tmp_path)) == 2, seconds=10)
    crew.kill(worker)
    second = crew.start(COMPUTE)
    eventually(lambda: queue.enqueue([pondering(tmp_path)]) == 1)
    eventually(lambda: len(thinkers_of(tmp_path)) == 3)
    second.send_signal(signal.SIGTERM)
    assert (0, 0) == (second.wait(10), queue.workers()), "it does not wait for the job"
    crew.forget(second)
    assert ({"it"}, 1) == (queue.active(), queue.waiting()), "RQ has enqueued it again"

    (tmp_path / "enough").touch()
    crew.start(COMPUTE)
    eventually(lambda: thinkers_of(tmp_path, "done"))
    assert [thinkers_of(tmp_path)[-1]] == thinkers_of(tmp_path, "done"), "those before it ended with their workers"


@pytest.mark.soak
def test_failed_job_is_reported_and_can_be_enqueued_again(crew, queue, whole):
    fails = ComputeJob("it", MOVES, "tests.workers.pondering.fails", ("no",))
    crew.start(COMPUTE)
    queue.enqueue([fails])
    eventually(lambda: len(whole.failed()[MOVES]) == 1)

    crew.end()
    assert 1 == queue.enqueue([fails])
    assert ({"it"}, []) == (queue.active(), whole.failed()[MOVES])


def test_moves_are_computed_before_analyses(crew, queue, tmp_path):
    (tmp_path / "enough").touch()
    queue.enqueue([ComputeJob("later", ANALYSES, "tests.workers.pondering.note", (str(tmp_path), "analysis"))])
    queue.enqueue([ComputeJob("first", MOVES, "tests.workers.pondering.note", (str(tmp_path), "move"))])
    crew.start(COMPUTE)

    notes = tmp_path / "notes"
    eventually(lambda: notes.exists() and len(notes.read_text().split()) == 2)
    assert ["move", "analysis"] == notes.read_text().split()


def test_account_has_a_limited_number_of_moves_in_the_queue(queue):
    def moves(owner, count):
        return [move_job(PONDER, f"g{number}", f"{number}:0:2@5", owner) for number in range(count)]

    assert PER_ACCOUNT == queue.enqueue(moves("mallory", 40))
    assert 0 == queue.enqueue(moves("mallory", 41)), "requested again while these wait"
    assert 1 == queue.enqueue(moves("ash", 1))
    assert PER_ACCOUNT + 2 == queue.enqueue(moves("", PER_ACCOUNT + 2)), "games of no account have no limit"
    queue.enqueue([analysis_job("g1", 3, 0)])
    assert 2 * PER_ACCOUNT + 4 == queue.waiting()


def test_moves_for_an_account_wait_behind_those_for_accounts_that_used_less(queue, whole, one):
    queue.add_use("mallory", 10.0)
    queue.add_use("mallory", 10.0)
    queue.add_use("birk", 2.0)
    assert 19.5 < queue.recent_use(["mallory"])["mallory"] <= 20
    assert 0 == queue.recent_use(["ash"])["ash"]
    queue.enqueue([move_job(PONDER, "g1", "1", account) for account in ("mallory", "birk", "ash")])

    waiting = [name for name, count in whole.waiting().items() if count]
    assert [MOVES, f"{MOVES}-1", f"{MOVES}-3"] == waiting
    assert "ash" in whole.connection.lindex(f"rq:queue:{MOVES}", 0).decode()
    assert "mallory" in whole.connection.lindex(f"rq:queue:{MOVES}-3", 0).decode()
    assert list(QUEUES) == [each.name for each in one.queues], "a worker serves them in this order"


def test_a_computed_move_counts_as_use_of_the_creator(redis_store, whole, queue, asked, monkeypatch):
    ((game, question),) = waiting(redis_store)
    context = SimpleNamespace(store=redis_store, positions=Positions(redis_store), queue=whole, settings=Settings())
    monkeypatch.setattr(choosing, "worker_context", lambda: context)

    assert "accepted" == choosing.choose(game, question)
    assert 0 < queue.recent_use(["ada"])["ada"] < 60


def test_finished_moves_make_room_for_more_of_the_same_account(queue, whole):
    wanted = [move_job(PONDER, f"g{number}", "1", "ash") for number in range(PER_ACCOUNT + 2)]
    assert PER_ACCOUNT == queue.enqueue(wanted)
    whole.connection.lpop("rq:queue:compute:moves", 2)

    assert 2 == queue.enqueue(wanted[PER_ACCOUNT:])


def test_creator_of_a_game_is_the_account_of_its_bots(redis_store, whole):
    store, start = redis_store, starting(redis_store)
    asking = SearchRequests(ComputeQueue(whole.connection), store, whole, 30)
    many = [start("nim", "ada", "bot:search:1") for _ in range(PER_ACCOUNT + 1)]
    asking.ask([(game, "1") for game in many])
    assert PER_ACCOUNT == whole.waiting()[MOVES]


class Clock:
    """A clock that tests advance."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def asking(redis_store, whole, queue, clock):
    return SearchRequests(queue, redis_store, whole, 30, clock)


@pytest.fixture
def asked(redis_store, asking, one):
    """A game with a question for a bot with search, while a search worker runs."""
    one.register_birth()
    advance, start = Advance.in_process(redis_store, thinking=asking), starting(redis_store)
    asking.look(range(redis_store.partitions))
    game = start("nim", "bot:search:1", "bot:search:1")
    rounds(redis_store, advance, 3)
    assert [game] == [each for each, _ in waiting(redis_store)]
    return game, advance


def test_expected_search_workers_are_awaited_while_they_start(redis_store, whole, queue, clock):
    asking = SearchRequests(queue, redis_store, whole, 30, clock, expected=True)
    assert 30_000 == asking.patience

    clock.now += START + GRACE - 1
    assert 30_000 == asking.patience
    clock.now += 1
    assert 0 == asking.patience
    assert 0 == SearchRequests(queue, redis_store, whole, 30, clock).patience


def test_a_worker_sees_running_search_workers_when_it_refreshes(redis_store, whole, queue, one, clock):
    asking = SearchRequests(queue, redis_store, whole, 30, clock)
    one.register_birth()
    asking.refresh()

    assert 30_000 == asking.patience


def waiting(store):
    return list(store.schedule.awaited(range(store.partitions), 30_000))


def test_fallback_bots_answer_after_the_grace_period_without_search_workers(redis_store, asking, asked, one, clock):
    store, (game, advance) = redis_store, asked
    one.register_death()
    every = range(store.partitions)
    assert 0 == asking.look(every)
    clock.now += GRACE - 2
    assert 0 == asking.look(every)
    rounds(store, advance, 2)
    assert [] == acts(store, game), "whoever died may be back at once"
    assert 30_000 == asking.patience

    clock.now += 3
    assert (1, 0) == (asking.look(every), asking.look(every))
    assert 0 == asking.patience
    rounds(store, advance, 30)
    assert "over" == store.lobbies.get(game).status
    assert {"stand_in_answered"} == {kinds(body)[0] for body in acts(store, game)}


def test_search_worker_that_restarts_in_time_keeps_the_awaited_moves(redis_store, asking, asked, one, whole, clock):
    game, advance = asked
    other = listener(COMPUTE, whole.connection)
    one.register_death()
    every = range(redis_store.partitions)
    for seconds in (0, GRACE - 2):
        clock.now += seconds
        asking.look(every)
    other.register_birth()
    clock.now += 3
    asking.look(every)
    other.register_death()
    clock.now += GRACE - 2
    assert 30_000 == asking.patience
    asking.look(every)
    rounds(redis_store, advance, 2)
    assert [] == acts(redis_store, game)


def test_no_move_is_awaited_if_no_search_worker_was_ever_seen(redis_store, asking, clock):
    assert 0 == asking.patience
    asking.look(range(redis_store.partitions))
    assert 0 == asking.patience


def test_fallback_bot_does_not_answer_before_the_delay_of_the_bot(redis_store, asking, one, clock):
    """The fallback bot acts when the bot it replaces would."""
    one.register_birth()
    asking.look(range(redis_store.partitions))
    advance, start = Advance.in_process(redis_store, thinking=asking), starting(redis_store)
    game = start("nim", "bot:search:1", "bot:search:1", pace={"mode": "free", "bot_seconds": 3600})
    rounds(redis_store, advance, 3)
    one.register_death()
    clock.now += GRACE
    assert 0 == asking.look(range(redis_store.partitions))
    rounds(redis_store, advance, 3)
    assert [] == acts(redis_store, game)


def test_worker_with_a_late_heartbeat_is_awaited_until_it_counts_as_dead(redis_store, asking, asked, queue, one, clock):
    every = range(redis_store.partitions)
    heartbeat_ago(one, ALIVE - 3)
    assert 1000 * (ALIVE - 3) <= queue.silence() <= 1000 * ALIVE
    assert 0 == asking.look(every), "it runs, and is only late"
    assert 30_000 == asking.patience

    heartbeat_ago(one, ALIVE + 1)
    assert queue.silence() is None
    assert (1, 0) == (asking.look(every), asking.patience)
