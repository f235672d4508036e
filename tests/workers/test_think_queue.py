"""The queue of what is thought over: one job for one id, whoever dies, and a sign of who is there to think."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.queue import Queue
from service.queue.thinking import ALIVE, AT_ONCE, ThinkQueue, Thought
from service.queue.thoughts import piece_of
from tests.workers.crew import Crew, eventually
from tests.workers.pondering import thinkers_of
from tests.workers.test_choosing import acts, kinds, rounds, starting
from workers.advance import Advance
from workers.process import listener
from workers.thinking.asking import GRACE, START, Asking

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


@pytest.mark.parametrize("name", ["settle:0", "cron", "side", "think"])
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


@pytest.mark.soak
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


def test_what_a_worker_had_taken_and_not_begun_when_it_was_killed_is_thought_over_again(queue, tmp_path, monkeypatch):
    about = Thought("it", f"{HERE}.ponder", (str(tmp_path),))
    queue.enqueue([about])
    jobs = queue._queue
    jobs.connection.lmove(jobs.key, jobs.intermediate_queue_key)
    assert ("queued", 0) == (queue.state("it"), queue.enqueue([about])), "it may be about to begin"

    monkeypatch.setattr("service.queue.thinking.STRAY", 60_000)
    jobs.connection.pexpire("oraclewheel:taken:think-it", 59_999)

    assert 1 == queue.enqueue([about])
    assert ("queued", 1, []) == (queue.state("it"), queue.waiting(), jobs.intermediate_queue.get_job_ids())


def test_what_failed_is_seen_and_may_be_tried_again(crew, queue, whole):
    about = Thought("it", f"{HERE}.fails", ("no",))
    crew.start("think")
    queue.enqueue([about])
    eventually(lambda: queue.state("it") == "failed")
    assert 1 == len(whole.failed()["think"])

    crew.end()
    assert 1 == queue.enqueue([about])
    assert ("queued", []) == (queue.state("it"), whole.failed()["think"])


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


def test_who_made_a_game_has_its_bots_think(redis_store, whole):
    store, start = redis_store, starting(redis_store)
    asking = Asking(ThinkQueue(whole.connection), store, whole, 30)
    many = [start("nim", "ada", "bot:search:1") for _ in range(AT_ONCE + 1)]
    asking.ask([(game, "1") for game in many])
    assert AT_ONCE == whole.waiting()["think"]


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def asking(redis_store, whole, queue, clock):
    return Asking(queue, redis_store, whole, 30, clock)


@pytest.fixture
def asked(redis_store, asking, queue):
    """A game with a question that a bot is to think about, while somebody lives who thinks."""
    queue.lives("one")
    advance, start = Advance.in_process(redis_store, thinking=asking), starting(redis_store)
    asking.look(range(redis_store.partitions))
    game = start("nim", "bot:search:1", "bot:search:1")
    rounds(redis_store, advance, 3)
    assert [game] == [each for each, _ in waiting(redis_store)]
    return game, advance


def test_expected_search_workers_are_awaited_while_they_start(redis_store, whole, queue, clock):
    asking = Asking(queue, redis_store, whole, 30, clock, expected=True)
    assert 30_000 == asking.patience

    clock.now += START + GRACE - 1
    assert 30_000 == asking.patience
    clock.now += 1
    assert 0 == asking.patience
    assert 0 == Asking(queue, redis_store, whole, 30, clock).patience


def test_a_worker_sees_running_search_workers_when_it_refreshes(redis_store, whole, queue, clock):
    asking = Asking(queue, redis_store, whole, 30, clock)
    queue.lives("one")
    asking.refresh()

    assert 30_000 == asking.patience


def waiting(store):
    return list(store.log.awaited(range(store.partitions), 30_000))


def test_where_all_who_think_have_died_stand_ins_answer_what_is_awaited_before_the_patience_ends(
    redis_store, asking, asked, queue, clock
):
    store, (game, advance) = redis_store, asked
    queue.ends("one")
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


def test_who_is_back_soon_thinks_about_what_was_awaited(redis_store, asking, asked, queue, clock):
    game, advance = asked
    queue.ends("one")
    every = range(redis_store.partitions)
    for seconds in (0, GRACE - 2):
        clock.now += seconds
        asking.look(every)
    queue.lives("other")
    clock.now += 3
    asking.look(every)
    queue.ends("other")
    clock.now += GRACE - 2
    assert 30_000 == asking.patience
    asking.look(every)
    rounds(redis_store, advance, 2)
    assert [] == acts(redis_store, game)


def test_where_nobody_was_ever_seen_nobody_is_waited_for(redis_store, asking, clock):
    assert 0 == asking.patience
    asking.look(range(redis_store.partitions))
    assert 0 == asking.patience


def test_what_a_bot_is_to_wait_for_is_not_answered_before(redis_store, asking, queue, clock):
    """The stand-in of a bot that has to wait first is asked when the bot would be."""
    queue.lives("one")
    asking.look(range(redis_store.partitions))
    advance, start = Advance.in_process(redis_store, thinking=asking), starting(redis_store)
    game = start("nim", "bot:search:1", "bot:search:1", pace={"mode": "free", "bot_seconds": 3600})
    rounds(redis_store, advance, 3)
    queue.ends("one")
    clock.now += GRACE
    assert 0 == asking.look(range(redis_store.partitions))
    rounds(redis_store, advance, 3)
    assert [] == acts(redis_store, game)


def test_who_has_been_silent_until_taken_for_dead_is_not_waited_for_once_more(
    redis_store, asking, asked, queue, whole, clock
):
    every = range(redis_store.partitions)
    whole.connection.pexpire("oraclewheel:thinker:one", 3000)
    assert ALIVE - 3000 <= queue.silent() <= ALIVE
    assert 0 == asking.look(every), "it lives, and is only late with its sign"
    assert 30_000 == asking.patience

    queue.ends("one")
    assert queue.silent() is None
    assert (1, 0) == (asking.look(every), asking.patience)


def test_what_is_thought_over_at_tables_waits_behind_one_piece_of_an_analysis_however_many_there_are(queue, tmp_path):
    def at(table):
        return Thought(f"game {table}", f"{HERE}.ponder", (str(tmp_path),), "Ash")

    queue.enqueue([piece_of(f"g{number}", 3, 0) for number in range(3)])
    queue.enqueue([at(1)])
    queue.enqueue([piece_of("g3", 3, 0), at(2), at(3)])
    jobs = queue._queue

    def order():
        return [id_.removeprefix("think-") for id_ in jobs.get_job_ids()]

    pieces = [f"analysis-g{number}-3-0" for number in range(4)]
    assert [pieces[0], "game-1", "game-2", "game-3", *pieces[1:]] == order()
    jobs.connection.lpop(jobs.key)  # looked at, and the next of it behind all others
    queue.enqueue([piece_of("g0", 3, 8), at(4)])
    assert ["game-1", "game-2", "game-3", pieces[1], "game-4", *pieces[2:], "analysis-g0-3-8"] == order()


def test_what_is_thought_over_at_tables_keeps_its_order_where_little_else_waits(queue, tmp_path):
    tables = [Thought(f"game {number}", f"{HERE}.ponder", (str(tmp_path),)) for number in range(3)]
    queue.enqueue(tables[:1])
    queue.enqueue([piece_of("g0", 3, 0)])
    queue.enqueue(tables[1:])

    assert ["think-game-0", "think-analysis-g0-3-0", "think-game-1", "think-game-2"] == queue._queue.get_job_ids()


def test_while_a_piece_is_looked_at_and_for_a_while_after_it_all_others_are_overtaken(queue, tmp_path):
    jobs = queue._queue
    queue.enqueue([piece_of(f"g{number}", 3, 0) for number in range(2)])

    def overtakes(table):
        queue.enqueue([Thought(f"game {table}", f"{HERE}.ponder", (str(tmp_path),))])
        return jobs.get_job_ids().index(f"think-game-{table}")

    with queue.piece():
        assert 0 == overtakes(0)
        time.sleep(0.01)
    rests = jobs.connection.pttl("oraclewheel:pieces")
    assert 0 < rests < 60_000, "as long as it took a few times over"
    jobs.connection.pexpire("oraclewheel:pieces", 30_000)
    assert 1 == overtakes(1)
    jobs.connection.delete("oraclewheel:pieces")
    assert 3 == overtakes(2), "else they would wait for ever where bots always do"
    jobs.connection.set("oraclewheel:pieces", 1, px=3_000_000)
    assert 4 == overtakes(3), "written before the clock was set back"
