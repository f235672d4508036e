"""The settle job: by itself, and in its own RQ workers that are killed."""

from __future__ import annotations

import signal
import threading
import time

import pytest
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from service.core.queue import Queue
from service.core.queue.lanes import LEASE
from service.core.queue.waker import Waker
from service.ops.processes.alarm import Alarm, TooLong
from service.store.redis.log.schedule import SWEEP
from service.store.transparency.leaves import name_of
from tests.store.pump import claim_games, outcome
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually
from tests.workers.test_advance import bodies
from tests.workers.with_pennies import POISON
from workers.advance import Advance
from workers.settle import BOTS_SHARE, SettleLane
from workers.sweeper import Sweeper

FEW = 3.0
"""Extra seconds allowed for a job that ends after a second without work."""


@pytest.fixture
def tables(redis_store):
    return Tables(redis_store)


@pytest.fixture
def crew(redis_url, tmp_path):
    crew = Crew(redis_url, tmp_path)
    yield crew
    crew.end()


@pytest.fixture
def queue(redis_url):
    """A queue with one lane."""
    return Queue(f"{redis_url}?db=1", 1)


@pytest.fixture
def job(redis_store, queue):
    """Creates a job of the lane, with its token."""

    def made(token="mine", stopping=lambda: False, advance=None):
        advance = advance or Advance.in_process(redis_store)
        return SettleLane(redis_store, queue, queue.lanes, advance, 0, token, stopping)

    return made


def jobs(queue):
    """The waiting jobs of each queue."""
    return {name: queue._jobs(name).jobs for name in queue._names() if queue._jobs(name).count}


def tokens(queue):
    return [each.args[2] for each in jobs(queue).get("settle:0", [])]


def wake_for(queue, store, game, token):
    """Wake the lane of a game for the job with this token."""
    assert queue.lanes.take(0, token)
    queue.wake(store.schedule.partition(game))


def test_every_partition_is_in_one_lane(redis_url):
    for count in (1, 2, 3, 7, 40, 100):
        lanes = Queue(redis_url, count).lanes
        shares = [lanes.partitions(lane, 64) for lane in range(count)]
        assert list(range(64)) == sorted(number for share in shares for number in share)
        assert all(number in shares[lanes.lane_of(number)] for number in range(64))


def test_many_wakes_enqueue_one_job(queue):
    for partition in (3, 5, 3, 7):
        queue.wake(partition)
    assert 1 == queue.waiting()["settle:0"]
    assert {3, 5, 7} == queue.lanes.woken(0)
    assert {0} == queue.lanes.running()


def test_wakes_of_many_partitions_enqueue_one_job_per_lane(redis_url):
    queue = Queue(f"{redis_url}?db=1", 3)
    queue.wake_all({1, 2, 4, 7})
    assert [0, 1, 1] == [queue.waiting()[f"settle:{number}"] for number in range(3)]
    assert [set(), {1, 4, 7}, {2}] == [queue.lanes.woken(lane) for lane in range(3)]


def test_wakes_during_a_call_go_together_in_the_next_call():
    calls, called, answer = [], threading.Semaphore(0), threading.Semaphore(0)

    class Slow:
        def wake_all(self, partitions):
            calls.append(partitions)
            called.release()
            answer.acquire()

    waker = Waker(Slow())
    waker.wake(1)
    assert called.acquire(timeout=5)
    for partition in (2, 3, 2):
        waker.wake(partition)
    answer.release()
    assert called.acquire(timeout=5)
    answer.release()
    assert [{1}, {2, 3}] == calls


def test_waker_continues_after_a_failed_call():
    calls, called = [], threading.Semaphore(0)

    class Failing:
        def wake_all(self, partitions):
            calls.append(partitions)
            called.release()
            raise RuntimeError

    waker = Waker(Failing())
    for partition in (1, 2):
        waker.wake(partition)
        assert called.acquire(timeout=5)
    assert [{1}, {2}] == calls


def test_wake_without_a_queue_raises_nothing():
    Queue("unix:///nonexistent/redis.sock").wake(1)


def test_job_whose_lease_expired_is_enqueued_again_for_the_next_worker(redis_url):
    queue = Queue(f"{redis_url}?db=1", 3)
    queue.wake(1)
    for lane in range(3):
        queue.connection.delete(f"oraclewheel:lane:3:{lane}")
    queue.wake(4)
    queue.connection.delete("oraclewheel:lane:3:1")
    queue.wake(1)
    assert [1, 1, 1] == [queue.waiting()[f"settle:{number}"] for number in range(3)]
    assert {1} == {each.args[0] for waiting in jobs(queue).values() for each in waiting}


def test_only_the_job_that_the_lease_names_settles_the_lane(redis_store, tables, queue, job):
    game = tables.start()
    wake_for(queue, redis_store, game, "other")
    assert 0 == job("mine").run(60)
    assert 0 == redis_store.log.head(game)[0]
    assert job("other").run(60) > 0
    assert 1 == redis_store.log.head(game)[0]


def test_job_settles_ready_games_waits_a_second_for_more_and_ends(redis_store, tables, queue, job):
    game = tables.start()
    more = threading.Timer(
        0.5, lambda: (tables.hide(game, 1, 1, id_="late"), queue.wake(redis_store.schedule.partition(game)))
    )
    more.start()
    begun = time.monotonic()
    job().run(60)
    assert 1.4 <= time.monotonic() - begun < 1.5 + FEW
    assert 2 == outcome(redis_store, game, "late")
    assert set() == queue.lanes.running()


def test_games_of_bots_only_are_limited_while_players_play_in_any_lane(redis_store, tables, queue, job):
    here, elsewhere = Advance.in_process(redis_store), Advance.in_process(redis_store)
    job(advance=elsewhere)._share()
    assert 1.0 == elsewhere.bots_share
    game = tables.start()
    here.round(range(256))
    tables.hide(game, 1)
    here.round(range(256))

    job(advance=here)._share()
    job(advance=elsewhere)._share()
    assert [BOTS_SHARE] * 2 == [here.bots_share, elsewhere.bots_share]
    queue.connection.flushdb()
    job(advance=here)._share()
    assert 1.0 == here.bots_share, "no player's command since"


def test_a_job_with_wakes_in_its_list_keeps_its_lease(queue):
    assert queue.lanes.take(0, "mine")
    queue.wake(3)
    assert 0 == queue.waiting()["settle:0"]
    assert not queue.lanes.finish(0, "mine")
    assert {3} == queue.lanes.woken(0)
    assert queue.lanes.finish(0, "mine")
    queue.wake(3)
    assert 1 == queue.waiting()["settle:0"]


def test_long_job_enqueues_itself_and_keeps_its_lease(redis_store, queue, job, tables):
    wake_for(queue, redis_store, tables.start("bot:greedy", "bot:random", points=100_000), "mine")
    job("mine").run(0.7)
    assert ["mine"] == tokens(queue)
    assert {0} == queue.lanes.running()
    queue.wake(1)
    assert ["mine"] == tokens(queue)


def test_job_ends_if_another_waits_for_the_same_worker(redis_store, queue, job, tables):
    wake_for(queue, redis_store, tables.start("bot:greedy", "bot:random", points=100_000), "mine")
    queue.lanes.queue(0).enqueue("workers.settle.settle", 1, 2, "of another lane")
    begun = time.monotonic()
    job("mine").run(60)
    assert time.monotonic() - begun < FEW
    assert ["of another lane", "mine"] == tokens(queue)


def test_job_of_a_stopping_process_releases_its_lease(queue, job):
    job(stopping=lambda: True).run(60)
    assert (set(), 0) == (queue.lanes.running(), queue.waiting()["settle:0"])


@pytest.mark.soak
def test_job_continues_after_the_queue_was_flushed(redis_store, tables, queue, job, monkeypatch):
    monkeypatch.setattr(
        "workers.settle.IDLE", 4.0
    )  # on a busy machine the command comes more than a second after the start
    game = tables.start()

    def flushed():
        queue.connection.flushdb()
        tables.hide(game, 1, 1, id_="late")
        eventually(lambda: 0 in queue.lanes.running(), seconds=5)
        queue.wake(redis_store.schedule.partition(game))

    late = threading.Timer(0.4, flushed)
    late.start()
    job().run(60)
    late.join()
    assert 2 == outcome(redis_store, game, "late")


@pytest.mark.soak
def test_rq_time_limit_applies_around_settling():
    alarm = Alarm(5.0)
    with pytest.raises(JobTimeoutException), UnixSignalDeathPenalty(1, JobTimeoutException):
        alarm.install()
        until = time.monotonic() + 10
        while time.monotonic() < until:
            with alarm:
                time.sleep(0.01)
    assert signal.SIG_DFL == signal.getsignal(signal.SIGALRM)


def test_submission_that_times_out_keeps_the_rq_time_limit():
    alarm = Alarm(0.1)
    with pytest.raises(JobTimeoutException), UnixSignalDeathPenalty(1, JobTimeoutException):
        alarm.install()
        with pytest.raises(TooLong), alarm:
            time.sleep(3)
        time.sleep(3)


def test_sweep_takes_few_round_trips_with_many_partitions(redis_store, tables, queue, monkeypatch):
    Sweeper(redis_store, queue).sweep()  # loads the scripts into the server
    games = [tables.start() for _ in range(20)]
    Advance.in_process(redis_store).round(range(redis_store.partitions))
    many, trips = redis_store.wire.many, []
    monkeypatch.setattr(redis_store.wire, "many", lambda commands: trips.append(commands) or many(commands))
    Sweeper(redis_store, queue).sweep()

    assert 256 == redis_store.partitions
    assert games
    assert sum(map(bool, trips)) < 12
    calls = [call for commands in trips for call in commands]
    assert redis_store.partitions == sum(call[0] == "EXISTS" for call in calls)
    swept = [call[3] for call in calls if call[:2] == ("EVALSHA", SWEEP.sha)]
    assert set(swept) <= {redis_store.keys.partition(game).ready for game in games}


def test_woken_worker_settles_at_once(redis_store, tables, crew):
    queue = Queue(crew.queue_url)
    crew.start()
    crew.start()
    eventually(lambda: queue.settling() == 2)
    game = tables.start()
    queue.wake(redis_store.schedule.partition(game))
    eventually(lambda: redis_store.log.head(game)[0] == 1, seconds=2)
    tables.hide(game, 1, 0, id_="mine")
    queue.wake(redis_store.schedule.partition(game))
    eventually(lambda: outcome(redis_store, game, "mine") == 2, seconds=2, every=0.0005)


@pytest.mark.soak
def test_sweeper_finds_a_game_that_was_never_woken(redis_store, tables, crew):
    crew.start()
    crew.start()
    game = tables.start("bot:greedy", "bot:random")
    eventually(lambda: redis_store.lobbies.get(game).status == "over")


@pytest.mark.soak
def test_a_lane_without_a_worker_is_settled_by_another(redis_store, tables, crew):
    crew.start()
    eventually(lambda: Queue(crew.queue_url).settling() == 1)
    games = [tables.start() for _ in range(12)]
    assert {0, 1} == {redis_store.schedule.partition(game) % 2 for game in games}
    eventually(lambda: all(redis_store.log.head(game)[0] == 1 for game in games))


@pytest.mark.soak
@pytest.mark.parametrize("lost", ["worker", "cron", "queue"])
def test_lost_worker_sweeper_or_queue_causes_only_a_delay(redis_store, tables, crew, lost):
    queue = Queue(crew.queue_url)
    crew.start()
    victim = crew.start()
    eventually(lambda: queue.settling() == 2)
    games = [tables.start("bot:greedy", "bot:random", points=100_000) for _ in range(6)]
    eventually(lambda: all(redis_store.log.head(game)[0] > 1 for game in games))
    if lost == "worker":
        crew.kill(victim)
    elif lost == "cron":
        crew.kill_cron()
    else:
        queue.connection.flushdb()
    more = [tables.start() for _ in range(6)]
    eventually(lambda: all(redis_store.log.head(game)[0] == 1 for game in more), seconds=120)
    before = {game: redis_store.log.head(game)[0] for game in games}
    eventually(lambda: all(redis_store.log.head(game)[0] > before[game] for game in games), seconds=120)


@pytest.mark.soak
def test_sigterm_stops_workers_without_losing_commands(redis_store, tables, crew):
    queue = Queue(crew.queue_url)
    crew.start()
    crew.start()
    games = [tables.start("bot:greedy", "bot:random", points=12) for _ in range(20)]
    for game in games:
        queue.wake(redis_store.schedule.partition(game))
    eventually(lambda: sum(redis_store.log.head(game)[0] for game in games) > 100)

    assert [0, 0] == crew.stop()
    assert 0 == redis_store.schedule.census()["claimed"], "every claimed game was given back"
    eventually(lambda: not queue.lanes.running(), seconds=LEASE / 1000 + 1)
    crew.start()
    crew.start()
    eventually(lambda: all(redis_store.lobbies.get(game).status == "over" for game in games), seconds=120)
    for game in games:
        ids = [body["submission"]["id"] for body in bodies(redis_store, game)]
        assert len(set(ids)) == len(ids)


@pytest.mark.soak
def test_poisoned_command_is_refused_after_it_has_killed_a_few_workers(redis_store, tables, crew, queue):
    crew.start()
    game, others = tables.start(), [tables.start(points=1000) for _ in range(3)]
    eventually(lambda: all(redis_store.log.head(each)[0] == 1 for each in (game, *others)))
    for each in others:
        tables.hide(each, 1, 0, id_="mine")
    tables.hide(game, 1, 0, id_="harmless")
    tables.hide(game, 2, POISON, id_="poison")
    tables.hide(game, 2, 0, id_="after")
    fallen = 0

    def settled():
        nonlocal fallen
        fallen += crew.revive()
        sent = [(game, "after"), *((other, "mine") for other in others)]
        return all(isinstance(outcome(redis_store, each, id_), int) for each, id_ in sent)

    # Six processes have to start one by one, and commands beside the poisoned one may be settled after it.
    eventually(settled, seconds=180)
    told = {body["submission"]["id"]: body for body in bodies(redis_store, game)}
    assert "rules-fault" == told["poison"]["refusal"]["code"]
    assert "events" in told["harmless"], "who stands beside it in the queue is not taken for it"
    assert "events" in told["after"]
    assert fallen <= 5, "three by itself, and two before it was known for what it is"
    for other in others:
        assert "events" in bodies(redis_store, other)[1]


@pytest.mark.soak
def test_game_whose_worker_died_is_settled_by_another(redis_store, tables, crew):
    game = tables.start()
    claim_games(redis_store, range(redis_store.partitions), 32, 1)
    crew.start()
    crew.start()
    eventually(lambda: redis_store.log.head(game)[0] == 1)


@pytest.mark.soak
def test_a_failed_side_job_is_tried_again(crew, tmp_path):
    queue, note = Queue(crew.queue_url), tmp_path / "note"
    crew.start("side")
    crew.start("cron")
    queue.enqueue_side("tests.workers.with_pennies.fails_once", str(note))
    eventually(lambda: note.exists() and note.read_text() == "tried\ntried\n", seconds=30)
    assert not any(queue.failed().values())


@pytest.mark.soak
def test_heads_are_logged_while_games_are_played(redis_store, redis_url, tables, tmp_path):
    crew = Crew(redis_url, tmp_path, ORACLEWHEEL_LOG_SECONDS="1", ORACLEWHEEL_PUBLIC_URL="https://games.example.org")
    game = tables.start()
    try:
        for kind in ("settle", "side"):
            crew.start(kind)
        eventually(lambda: redis_store.ledger.checkpoint()[0] >= 1, seconds=90)
    finally:
        crew.end()

    assert redis_store.ledger.checkpoint()[1].startswith(b"games.example.org/v1/log\n")
    assert [(0, 1)] == list(redis_store.ledger.of(name_of(game)))
