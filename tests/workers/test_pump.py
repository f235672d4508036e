"""The resident pump as an RQ job in processes of its own."""

from __future__ import annotations

import select
import signal
import threading
import time

import pytest

from service.queue import GROUPS, Queue, groups_of
from service.store.ledger.leaves import name_of
from service.store.redis.log.schedule import SWEEP
from service.store.redis.store import open_store
from tests.store.pump import claim_games, outcome
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually
from tests.workers.test_advance import bodies
from tests.workers.with_pennies import POISON
from workers.advance import TRIES, Advance
from workers.pump import Pump
from workers.sweeper import Sweeper


@pytest.fixture
def tables(redis_store):
    return Tables(redis_store)


@pytest.fixture
def crew(redis_url, tmp_path):
    crew = Crew(redis_url, tmp_path)
    yield crew
    crew.end()


@pytest.fixture
def queue(crew):
    return Queue(crew.queue_url)


def test_every_wake_list_has_a_pump():
    for slots in (1, 2, 3, 7, 16, 40):
        read = [group for slot in range(slots) for group in groups_of(slot, slots)]
        assert set(range(GROUPS)) == set(read)
        assert slots > GROUPS or len(read) == GROUPS


def test_wakes_are_collected_and_waited_for(queue):
    for partition in (3, 19, 3, 4):
        queue.wake(partition)
    assert {3, 19} == queue.woken([3])
    assert {4} == queue.woken([4, 5], seconds=1)
    for partition in (5, 4, 20):
        queue.wake(partition)
    assert {4, 20} == queue.woken([4, 5], seconds=1), "who waits goes on with what has come in one list"
    queue.wake(4)
    assert {4, 5} == queue.woken([4, 5])
    assert set() == queue.woken([3, 4], seconds=0.01)


def test_a_lost_queue_fails_nobody():
    Queue("unix:///nonexistent/redis.sock").wake(1)


def test_a_sweep_is_a_few_round_trips_however_many_partitions_there_are(redis_store, tables, queue, monkeypatch):
    Sweeper(redis_store, queue).sweep()  # which teaches the server its scripts
    games = [tables.start() for _ in range(20)]
    Advance.in_process(redis_store).round(range(redis_store.partitions))
    many, trips = redis_store.wire.many, []
    monkeypatch.setattr(redis_store.wire, "many", lambda commands: trips.append(commands) or many(commands))
    Sweeper(redis_store, queue).sweep()

    assert 64 == redis_store.partitions
    assert games
    assert sum(map(bool, trips)) < 12
    swept = [call for commands in trips for call in commands if call[:2] == ("EVALSHA", SWEEP.sha)]
    assert redis_store.partitions == len(swept)


def test_a_pump_that_has_left_nothing_waits_at_once(redis_store, tables, queue):
    class Counting(Advance):
        def round(self, partitions):
            rounds.append(super().round(partitions))
            return rounds[-1]

    rounds = []
    advance = Counting.in_process(redis_store)
    pump = Pump(redis_store, queue, advance, 0, 1, lambda: False)
    game = tables.start()
    pump.run(1.5)
    assert [1, 0] == rounds, "it began with all partitions, of which it claims as long as there is anything"

    rounds.clear()
    tables.hide(game, 1, 1)
    queue.wake(redis_store.log.partition(game))
    pump.run(1.5)
    assert 2 == redis_store.log.head(game)[0]
    assert 1 == len([settled for settled in rounds if settled])


def test_a_pump_settles_what_it_is_handed_and_claims_nothing(redis_store, redis_url, tables, queue):
    class Counting(Advance):
        def round(self, partitions):
            rounds.append(super().round(partitions))
            return rounds[-1]

        def take(self, handed):
            taken.extend(handed)
            return super().take(handed)

    rounds, taken = [], []
    game = tables.start()
    pump = Pump(redis_store, queue, Counting.in_process(redis_store), 0, 1, lambda: False)
    player = open_store(redis_url)
    sending = threading.Timer(1.0, lambda: Tables(player).hide(game, 1, 1, id_="mine"))
    sending.start()
    assert 2 == pump.run(3)
    sending.join()
    player.close()

    assert 2 == outcome(redis_store, game, "mine")
    assert ([game], [1, 0]) == ([work.game_id for work in taken], rounds)
    assert (0, 0) == (redis_store.log.census()["ready"], redis_store.log.census()["claimed"])


def test_two_that_are_handed_the_same_settle_it_once_and_set_nothing_aside(redis_store, tables):
    game = tables.start()
    both = [(redis_store.log.inbox(), Advance.in_process(redis_store)) for _ in range(2)]
    for inbox, advance in both:
        inbox.listen(range(redis_store.partitions))
        advance.round(range(redis_store.partitions))
    for number in range(2 * TRIES):
        tables.hide(game, 1, 99, id_=f"{number}")
        for inbox, advance in both:
            select.select([inbox.fileno()], [], [], 2)
            (work,) = inbox.taken(32)
            assert not advance.take([work])
        assert number + 2 == outcome(redis_store, game, f"{number}")
    for inbox, _ in both:
        inbox.close()

    assert redis_store.log.marked(game) is None
    assert number + 2 == redis_store.log.head(game)[0]
    assert (0, 0) == (redis_store.log.census()["ready"], redis_store.log.census()["claimed"])


def test_a_slot_has_one_pump(queue):
    assert queue.hold(0, "one")
    assert not queue.hold(0, "other")
    queue.let_go(0, "other")
    assert {0} == queue.living(2)
    queue.let_go(0, "one")
    assert queue.hold(0, "other")


def test_missing_pumps_are_enqueued_once(queue):
    queue.hold(1, "alive")
    assert 2 == queue.ensure_pumps(3)
    assert 0 == queue.ensure_pumps(3)
    assert {"pump": 2, "side": 0, "think": 0} == queue.waiting()


def test_a_woken_pump_settles_at_once(redis_store, tables, crew, queue):
    crew.start()
    crew.start()
    eventually(lambda: len(queue.living(2)) == 2)
    game = tables.start()
    queue.wake(redis_store.log.partition(game))
    eventually(lambda: redis_store.log.head(game)[0] == 1, seconds=2)
    begun = time.monotonic()
    tables.hide(game, 1, 0, id_="mine")
    queue.wake(redis_store.log.partition(game))
    eventually(lambda: outcome(redis_store, game, "mine") == 2, seconds=2, every=0.0005)
    assert time.monotonic() - begun < 0.5


def test_without_any_wake_the_sweeper_finds_the_game(redis_store, tables, crew, queue):
    crew.start()
    eventually(lambda: queue.living(2))
    game = tables.start("bot:greedy", "bot:random")
    eventually(lambda: redis_store.lobbies.get(game).status == "over")


def test_a_killed_pump_is_missed_and_replaced(redis_store, tables, crew, queue):
    victim = crew.start()
    eventually(lambda: queue.living(1))
    crew.kill(victim)
    crew.start()
    game = tables.start("bot:greedy", "bot:random")
    queue.wake(redis_store.log.partition(game))
    eventually(lambda: redis_store.lobbies.get(game).status == "over")


def test_sigterm_drains_and_loses_nothing(redis_store, tables, crew, queue):
    crew.start()
    crew.start()
    eventually(lambda: len(queue.living(2)) == 2)
    games = [tables.start("bot:greedy", "bot:random", points=12) for _ in range(20)]
    for game in games:
        queue.wake(redis_store.log.partition(game))
    eventually(lambda: sum(redis_store.log.head(game)[0] for game in games) > 100)

    assert [0, 0] == crew.stop()
    claimed = redis_store.log.census()["claimed"]
    assert 0 == claimed, "every claimed game was given back"
    assert not queue.living(2)
    crew.start()
    eventually(lambda: all(redis_store.lobbies.get(game).status == "over" for game in games), seconds=60)
    for game in games:
        told = bodies(redis_store, game)
        ids = [body["submission"]["id"] for body in told]
        assert len(set(ids)) == len(ids)


def test_losing_the_queue_under_load_costs_seconds(redis_store, tables, crew, queue):
    crew.start()
    crew.start()
    eventually(lambda: len(queue.living(2)) == 2)
    games = [tables.start("bot:greedy", "bot:random", points=12) for _ in range(20)]
    for _ in range(5):
        queue.connection.flushdb()
        time.sleep(0.3)
    eventually(lambda: all(redis_store.lobbies.get(game).status == "over" for game in games), seconds=60)
    late = tables.start("bot:greedy", "bot:random")
    eventually(lambda: redis_store.lobbies.get(late).status == "over")
    eventually(lambda: len(queue.living(2)) == 2)


def test_the_pump_hands_its_slot_on(redis_store, tables, crew, queue):
    crew.start().send_signal(signal.SIGCONT)
    eventually(lambda: queue.living(2))
    crew.stop()
    assert queue.waiting()["pump"] >= 1
    crew.start()
    eventually(lambda: queue.living(2))


def test_a_poisoned_command_fells_three_workers_and_no_more(redis_store, tables, crew, queue):
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

    # Six processes have to start one after the other, and what stands beside the poison may come after it.
    eventually(settled, seconds=180)
    told = {body["submission"]["id"]: body for body in bodies(redis_store, game)}
    assert "rules-fault" == told["poison"]["refusal"]["code"]
    assert "events" in told["harmless"], "who stands beside it in the queue is not taken for it"
    assert "events" in told["after"]
    assert fallen <= 5, "three by itself, and two before it was known for what it is"
    for other in others:
        assert "events" in bodies(redis_store, other)[1]


def test_the_schedule_rescues_what_no_pump_looks_after(redis_store, tables, crew, queue):
    game = tables.start()
    claim_games(redis_store, range(redis_store.partitions), 32, 1)
    crew.start("side")
    crew.start("schedule")
    eventually(lambda: queue.waiting()["pump"] == 2)
    eventually(lambda: redis_store.log.census()["ready"] == 1)
    crew.start()
    eventually(lambda: redis_store.log.head(game)[0] == 1)


def test_a_failed_side_job_is_tried_again(crew, queue, tmp_path):
    note = tmp_path / "note"
    crew.start("side")
    crew.start("schedule")
    queue.enqueue_side("tests.workers.with_pennies.fails_once", str(note))
    eventually(lambda: note.exists() and note.read_text() == "tried\ntried\n", seconds=30)
    assert {"pump": [], "side": [], "think": []} == queue.failed()


def test_heads_are_logged_while_games_are_played(redis_store, redis_url, tables, tmp_path):
    crew = Crew(redis_url, tmp_path, ORACLEWHEEL_LOG_SECONDS="1", ORACLEWHEEL_PUBLIC_URL="https://games.example.org")
    game = tables.start()
    try:
        for kind in ("pump", "side", "schedule"):
            crew.start(kind)
        eventually(lambda: redis_store.ledger.checkpoint()[0] >= 1, seconds=90)
    finally:
        crew.end()

    assert redis_store.ledger.checkpoint()[1].startswith(b"games.example.org/v1/log\n")
    assert [(0, 1)] == list(redis_store.ledger.of(name_of(game)))
