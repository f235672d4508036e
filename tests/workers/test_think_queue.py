"""The queue of what is thought over: one job for one id, whoever dies, and a sign of who is there to think."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.queue import Queue
from service.queue.thinking import ALIVE, AT_ONCE, ThinkQueue, Thought
from tests.workers.crew import Crew, eventually
from tests.workers.pondering import thinkers_of
from tests.workers.test_choosing import starting
from workers.process import listener
from workers.thinking.asking import Asking

HERE = "tests.workers.pondering"


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
    return ThinkQueue(whole.connection)


def test_whoever_gives_no_sign_of_life_does_not_live(queue, whole):
    assert frozenset() == queue.living()
    queue.lives("one")
    queue.lives("other")
    assert {"one", "other"} == queue.living()

    whole.connection.delete("oraclewheel:thinker:one")
    queue.ends("other")
    assert frozenset() == queue.living()


def test_a_sign_from_before_the_clock_was_set_back_is_none(queue, whole):
    queue.lives("one")
    whole.connection.pexpire("oraclewheel:thinker:one", 2 * ALIVE)

    assert frozenset() == queue.living()


@pytest.mark.parametrize("name", ["pump", "side", "think"])
def test_no_connection_gives_up_sooner_than_a_worker_waits_for_a_job(whole, name):
    with ThreadPoolExecutor(2) as two:  # one that waits for it to answer, and one that says that it lives
        list(two.map(lambda _: whole.connection.blpop(["none"], 1), range(2)))
    worker = listener(name, whole.connection)

    pool = whole.connection.connection_pool
    assert [] == [
        made.socket_timeout
        for made in [pool.get_connection() for _ in range(3)]
        if made.socket_timeout < worker.connection_timeout
    ]


def test_what_waits_is_not_enqueued_again(queue, whole, tmp_path):
    about = Thought("game 7: 3:0:2@5", f"{HERE}.ponder", (str(tmp_path),))
    assert "" == queue.state(about.id)
    assert 1 == queue.enqueue([about])
    assert 0 == queue.enqueue([about])

    assert ("queued", 1) == (queue.state(about.id), queue.waiting())
    assert 1 == whole.waiting()["think"]
    assert 1 == queue.enqueue([Thought("another", f"{HERE}.ponder", (str(tmp_path),)), about])


def test_what_a_killed_worker_thought_about_is_thought_over_again_and_only_then(crew, queue, tmp_path):
    about = Thought("it", f"{HERE}.ponder", (str(tmp_path),))
    first = crew.start("think")
    eventually(lambda: len(queue.living()) == 1)
    queue.enqueue([about])
    eventually(lambda: thinkers_of(tmp_path) == [first.pid])
    assert 0 == queue.enqueue([about]), "somebody who lives thinks about it"
    assert "started" == queue.state("it")

    crew.kill(first)
    second = crew.start("think")
    eventually(lambda: queue.enqueue([about]) == 1)
    eventually(lambda: thinkers_of(tmp_path) == [first.pid, second.pid])
    (tmp_path / "enough").touch()
    eventually(lambda: queue.state("it") == "")
    assert [second.pid] == thinkers_of(tmp_path, "done")
    second.send_signal(signal.SIGTERM)
    assert 0 == second.wait(30)
    assert frozenset() == queue.living(), "who ends says so"


def test_what_failed_is_seen_and_may_be_tried_again(crew, queue, whole):
    about = Thought("it", f"{HERE}.fails", ("no",))
    crew.start("think")
    queue.enqueue([about])
    eventually(lambda: queue.state("it") == "failed")
    assert 1 == len(whole.failed()["think"])

    crew.end()
    assert 1 == queue.enqueue([about])
    assert ("queued", []) == (queue.state("it"), whole.failed()["think"])


def test_what_a_process_thought_about_that_is_known_to_be_dead_is_asked_for_at_once(queue):
    queue.lives("think-abc-1-ff")
    queue.lives("think-abd-2-ee")
    queue.died("think-abc")

    assert {"think-abd-2-ee"} == queue.living()


def test_an_account_with_much_to_think_over_holds_up_nobody_else(whole, queue, tmp_path):
    def wanted(whose, count):
        return [Thought(f"{whose} {number}", f"{HERE}.ponder", (str(tmp_path),), whose) for number in range(count)]

    assert AT_ONCE == queue.enqueue(wanted("mallory", 40))
    assert 0 == queue.enqueue(wanted("mallory", 40)), "asked again while these wait"
    assert 1 == queue.enqueue(wanted("ash", 1))
    assert AT_ONCE + 1 == queue.waiting()


def test_what_is_over_makes_room_for_more_of_the_same_account(crew, queue, tmp_path):
    wanted = [Thought(f"{number}", f"{HERE}.ponder", (str(tmp_path),), "ash") for number in range(AT_ONCE + 2)]
    assert AT_ONCE == queue.enqueue(wanted)
    (tmp_path / "enough").touch()
    crew.start("think")
    eventually(lambda: queue.waiting() == 0 and not any(queue.state(each.id) for each in wanted))
    assert 2 == queue.enqueue(wanted[AT_ONCE:])
    eventually(lambda: len(thinkers_of(tmp_path, "done")) == AT_ONCE + 2)


def test_who_made_a_game_has_its_bots_think(memory_store, whole):
    store, start = memory_store, starting(memory_store)
    asking = Asking(ThinkQueue(whole.connection), store, 30)
    many = [start("nim", "ada", "bot:search:1") for _ in range(AT_ONCE + 1)]
    asking.ask([(game, "1") for game in many])
    assert AT_ONCE == whole.waiting()["think"]
