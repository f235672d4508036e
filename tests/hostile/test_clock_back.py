"""The store's clock is set back by an hour: nothing that was to last for seconds may last for that hour."""

from __future__ import annotations

import time

from rq.scheduler import RQScheduler
from rq.serializers import JSONSerializer

from service.queue import Queue
from service.store.ports.accounts import Credential
from service.store.redis import keys
from service.store.redis.log.watch import Watch
from service.store.redis.store import open_store
from tests.store.pump import Worker, claim_games, command, opened, started, submit
from workers import schedule
from workers.sweeper import Sweeper

HOUR = 3_600_000


def claimed(store):
    """A game with a command waiting whose worker has died."""
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    assert [game] == claim_games(store, range(256), 10, 3000)
    return game


def ahead(store, name, member, by=HOUR):
    """What a set-back clock leaves: an instant of before lies so much further ahead."""
    score = float(store.wire.one("ZSCORE", name, member))
    store.wire.one("ZADD", name, score + by, member)


def test_a_lease_further_ahead_than_it_can_last_has_lapsed(redis_store):
    game = claimed(redis_store)
    shared = redis_store.keys.partition(game)
    ahead(redis_store, shared.leases, game)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))
    assert [game] == claim_games(redis_store, range(256), 10, 3000)
    assert 2 == redis_store.claims.work([game])[0].claims, "its worker may have died of it"


def test_a_lease_of_a_release_before_lapses_as_well(redis_store):
    game = claimed(redis_store)
    shared = redis_store.keys.partition(game)
    for name in redis_store.wire.one("KEYS", shared.tag + "holders"):
        redis_store.wire.one("DEL", name)
    ahead(redis_store, shared.leases, game)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))


def test_a_game_put_aside_comes_back_after_a_while(redis_store):
    game = claimed(redis_store)
    redis_store.claims.release(game, 10_000)
    assert 0 == redis_store.schedule.sweep(redis_store.schedule.partition(game))
    ahead(redis_store, redis_store.keys.partition(game).leases, game)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))


def test_a_lost_wake_is_missed_although_the_game_is_ready_since_later_than_now(redis_store):
    game = started(redis_store)
    submit(redis_store, game, command("s1", 1, pennies=1))
    ahead(redis_store, redis_store.keys.partition(game).ready, game)
    redis_store.schedule.sweep(redis_store.schedule.partition(game))
    time.sleep(1.1)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))


def test_the_lock_of_a_dead_sweeper_is_taken(redis_store, server):
    other = open_store(server.url)
    assert other.schedule.lock("sweeper", 3000)
    assert not redis_store.schedule.lock("sweeper", 3000)
    redis_store.wire.one("PEXPIRE", keys.lock("sweeper"), HOUR)

    assert redis_store.schedule.lock("sweeper", 3000)
    assert not other.schedule.lock("sweeper", 3000)
    other.close()


def test_a_lease_of_a_lane_from_before_the_clock_was_set_back_is_void(redis_store, server):
    queue = Queue(f"{server.url}?db=1", 1)
    queue.connection.flushdb()
    assert queue.lanes.take(0, "dead")
    queue.connection.pexpire("oraclewheel:lane:1:0", HOUR)

    assert set() == queue.lanes.running()
    queue.wake(0)
    assert 1 == queue.waiting()["settle:0"]
    assert not queue.lanes.take(0, "dead"), "the lease names the job that was enqueued since"


def test_a_lease_that_never_comes_nearer_to_its_end_lapses_by_the_sweepers_own_clock(redis_store, monkeypatch):
    game, clock = claimed(redis_store), [100.0]
    monkeypatch.setattr(redis_store.schedule, "_watch", Watch(lambda: clock[0]))
    partition = redis_store.schedule.partition(game)

    # Its end stays ahead: all this takes the store's clock less than the three seconds of the lease.
    for _ in range(3):
        assert 0 == redis_store.schedule.sweep(partition)
        clock[0] += 1.2
    assert 0 == redis_store.schedule.sweep(partition), "it may last so long"
    clock[0] += 0.6
    assert 1 == redis_store.schedule.sweep(partition)

    assert [game] == claim_games(redis_store, [partition], 1, 3000)
    assert 0 == redis_store.schedule.sweep(partition), "who takes it anew has all of the time"


def test_a_lease_taken_again_is_another_lease(redis_store, monkeypatch):
    game, clock = claimed(redis_store), [100.0]
    monkeypatch.setattr(redis_store.schedule, "_watch", Watch(lambda: clock[0]))
    partition = redis_store.schedule.partition(game)
    for _ in range(5):
        assert 0 == redis_store.schedule.sweep(partition)
        clock[0] += 3
        assert redis_store.claims.release(game)
        time.sleep(0.002)  # a lease is told by its end: within one millisecond there is no other
        assert [game] == claim_games(redis_store, [partition], 1, 3000)


def test_a_ticket_is_good_for_no_longer_than_it_was_made_for(redis_store):
    ticket = Credential("c1", "p1", ("read",), 1, game="g1")
    redis_store.accounts.add_ticket(ticket, "t1", 30)
    redis_store.wire.one("PEXPIRE", keys.ticket("t1"), HOUR)
    assert redis_store.accounts.use_ticket("t1", 60) is None
    redis_store.accounts.add_ticket(ticket, "t2", 30)
    assert ticket == redis_store.accounts.use_ticket("t2", 60)


def test_a_schedule_goes_on_though_a_dead_one_has_the_lock_for_an_hour(server):
    queue = Queue(f"{server.url}?db=1")
    retries = RQScheduler(schedule.QUEUES, queue.connection, logging_level="WARNING", serializer=JSONSerializer)
    lock = retries.get_locking_key("side")
    queue.connection.set(lock, "dead", ex=60)
    schedule.void_locks(queue.connection, retries)
    assert queue.connection.exists(lock), "it may live"
    queue.connection.expire(lock, 3600)
    schedule.void_locks(queue.connection, retries)
    assert not queue.connection.exists(lock)


def test_what_system_is_to_say_at_once_is_said_at_once(redis_store, monkeypatch):
    """The worker's instant is an hour ahead of the server's, as that of every commit is after such a step."""
    made = opened(redis_store, "ann", "bot:greedy")
    redis_store.lobbies.start(made.id, "ann", "begin")
    real = redis_store.schedule.now
    monkeypatch.setattr(redis_store.schedule, "now", lambda: real() + HOUR)
    Worker(redis_store, made.id).step()

    pending = redis_store.claims.work([made.id])[0].pending
    assert [{"type": "act", "question": "1:0:2"}] == [document["command"] for _, document in pending]


class NoWakes:
    def wake(self, partition):
        pass


WAIT = 60_000
"""Longer than the test takes on the busiest machine."""


def test_a_bot_that_was_to_wait_for_seconds_waits_for_seconds(redis_store):
    made = opened(redis_store, "ann", "bot:greedy")
    redis_store.lobbies.start(made.id, "ann", "begin")
    Worker(redis_store, made.id).step()
    shared, game = redis_store.keys.partition(made.id), made.id
    now = redis_store.schedule.now()
    redis_store.wire.one("ZADD", shared.due, now + HOUR + WAIT, f"{game} b 9:0:2", now + HOUR + WAIT, f"{game} d 9:0:1")
    redis_store.wire.one("SET", keys.beat("pump"), now + HOUR)
    Sweeper(redis_store, NoWakes()).sweep()

    bot, player = redis_store.wire.one("ZMSCORE", shared.due, f"{game} b 9:0:2", f"{game} d 9:0:1")
    assert int(bot) <= redis_store.schedule.now() + WAIT
    assert now + HOUR + WAIT == int(player), "what a player was promised stays"


def test_who_is_out_of_requests_is_not_out_of_them_for_an_hour(redis_store):
    while redis_store.accounts.allow("b", 3, 10)[0]:
        pass
    value = redis_store.wire.one("GET", keys.bucket("b")).decode().split(" ")
    redis_store.wire.one("SET", keys.bucket("b"), " ".join(f"{int(part) + HOUR * 1000}" for part in value))
    redis_store.accounts.allow("b", 3, 10)
    time.sleep(0.3)

    assert redis_store.accounts.allow("b", 3, 10)[0]


def test_who_is_out_of_refusals_is_not_out_of_them_for_an_hour(redis_store):
    game = started(redis_store)
    for number in range(3):
        submit(redis_store, game, command(f"bad{number}", 1, pennies=99))
    Worker(redis_store, game).step()
    assert "limited" == submit(redis_store, game, command("s1", 1, pennies=1), refusals=2).status
    name = redis_store.keys.game(game).meta
    value = redis_store.wire.one("HGET", name, "r1").decode().split(" ")
    redis_store.wire.one("HSET", name, "r1", " ".join(f"{int(part) + HOUR}" for part in value))

    told = submit(redis_store, game, command("s1", 1, pennies=1), refusals=2)
    assert told.retry_after <= 3 * 60
    assert submit(redis_store, game, command("s1", 1, pennies=1), refusals=2).retry_after <= told.retry_after


def test_who_has_said_too_much_unasked_does_not_wait_for_an_hour(redis_store):
    game = started(redis_store)
    unasked = {"unasked": 2, "anytime": True}
    for number in range(2):
        assert "accepted" == submit(redis_store, game, command(f"s{number}", 1, pennies=1), **unasked).status
    name = redis_store.keys.game(game).meta
    value = redis_store.wire.one("HGET", name, "u1").decode().split(" ")
    redis_store.wire.one("HSET", name, "u1", " ".join(f"{int(part) + HOUR}" for part in value))

    told = submit(redis_store, game, command("s2", 1, pennies=1), **unasked)
    assert ("unasked", True) == (told.status, 0 < told.retry_after <= 2 * 60)
