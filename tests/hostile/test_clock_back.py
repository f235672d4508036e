"""The store's clock is set back by an hour: no short lease, lock or limit may last for that hour."""

from __future__ import annotations

import time

from rq.scheduler import RQScheduler
from rq.serializers import JSONSerializer

from service.core.queue import Queue
from service.store.ports.accounts import Credential
from service.store.redis import keys
from service.store.redis.log.watch import Watch
from service.store.redis.store import open_store
from tests.store.pump import Worker, claim_games, command, opened, started, submit
from workers import schedule
from workers.sweeper import Sweeper

HOUR = 3_600_000


def claimed(store):
    """A game with a waiting command, claimed by a worker that has died."""
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    assert [game] == claim_games(store, range(256), 10, 3000)
    return game


def ahead(store, name, member, by=HOUR):
    """Move a score ahead, as if it was written before the clock was set back."""
    score = float(store.wire.one("ZSCORE", name, member))
    store.wire.one("ZADD", name, score + by, member)


def test_lease_that_ends_too_far_in_the_future_has_expired(redis_store):
    game = claimed(redis_store)
    shared = redis_store.keys.partition(game)
    ahead(redis_store, shared.leases, game)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))
    assert [game] == claim_games(redis_store, range(256), 10, 3000)
    assert 2 == redis_store.claims.work([game])[0].claims, "its worker may have died of it"


def test_lease_without_a_holder_key_from_an_older_release_expires_too(redis_store):
    game = claimed(redis_store)
    shared = redis_store.keys.partition(game)
    for name in redis_store.wire.one("KEYS", shared.tag + "holders"):
        redis_store.wire.one("DEL", name)
    ahead(redis_store, shared.leases, game)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))


def test_sweep_releases_a_postponed_game_whose_time_is_too_far_ahead(redis_store):
    game = claimed(redis_store)
    redis_store.claims.release(game, 10_000)
    assert 0 == redis_store.schedule.sweep(redis_store.schedule.partition(game))
    ahead(redis_store, redis_store.keys.partition(game).leases, game)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))


def test_lost_wakeup_is_detected_although_the_ready_time_is_in_the_future(redis_store):
    game = started(redis_store)
    submit(redis_store, game, command("s1", 1, pennies=1))
    ahead(redis_store, redis_store.keys.partition(game).ready, game)
    redis_store.schedule.sweep(redis_store.schedule.partition(game))
    time.sleep(1.1)

    assert 1 == redis_store.schedule.sweep(redis_store.schedule.partition(game))


def test_sweeper_lock_that_lasts_too_long_can_be_acquired(redis_store, server):
    other = open_store(server.url)
    assert other.schedule.lock("sweeper", 3000)
    assert not redis_store.schedule.lock("sweeper", 3000)
    redis_store.wire.one("PEXPIRE", keys.lock("sweeper"), HOUR)

    assert redis_store.schedule.lock("sweeper", 3000)
    assert not other.schedule.lock("sweeper", 3000)
    other.close()


def test_lane_lease_from_before_the_clock_change_is_void(redis_store, server):
    queue = Queue(f"{server.url}?db=1", 1)
    queue.connection.flushdb()
    assert queue.lanes.take(0, "dead")
    queue.connection.pexpire("oraclewheel:lane:1:0", HOUR)

    assert set() == queue.lanes.running()
    queue.wake(0)
    assert 1 == queue.waiting()["settle:0"]
    assert not queue.lanes.take(0, "dead"), "the lease names the job that was enqueued since"


def test_lease_that_never_gets_closer_to_its_end_expires_by_the_sweepers_clock(redis_store, monkeypatch):
    game, clock = claimed(redis_store), [100.0]
    monkeypatch.setattr(redis_store.schedule, "_watch", Watch(lambda: clock[0]))
    partition = redis_store.schedule.partition(game)

    # The lease end stays in the future: this loop takes less than three seconds of the store's clock.
    for _ in range(3):
        assert 0 == redis_store.schedule.sweep(partition)
        clock[0] += 1.2
    assert 0 == redis_store.schedule.sweep(partition), "it may last so long"
    clock[0] += 0.6
    assert 1 == redis_store.schedule.sweep(partition)

    assert [game] == claim_games(redis_store, [partition], 1, 3000)
    assert 0 == redis_store.schedule.sweep(partition), "who takes it anew has all of the time"


def test_renewed_claim_is_a_new_lease_with_its_own_timeout(redis_store, monkeypatch):
    game, clock = claimed(redis_store), [100.0]
    monkeypatch.setattr(redis_store.schedule, "_watch", Watch(lambda: clock[0]))
    partition = redis_store.schedule.partition(game)
    for _ in range(5):
        assert 0 == redis_store.schedule.sweep(partition)
        clock[0] += 3
        assert redis_store.claims.release(game)
        time.sleep(0.002)  # a lease is identified by its end time in milliseconds
        assert [game] == claim_games(redis_store, [partition], 1, 3000)


def test_ticket_is_void_if_it_lasts_longer_than_it_was_issued_for(redis_store):
    ticket = Credential("c1", "p1", ("read",), 1, game="g1")
    redis_store.accounts.add_ticket(ticket, "t1", 30)
    redis_store.wire.one("PEXPIRE", keys.ticket("t1"), HOUR)
    assert redis_store.accounts.use_ticket("t1", 60) is None
    redis_store.accounts.add_ticket(ticket, "t2", 30)
    assert ticket == redis_store.accounts.use_ticket("t2", 60)


def test_scheduler_lock_that_lasts_too_long_is_removed(server):
    queue = Queue(f"{server.url}?db=1")
    retries = RQScheduler(schedule.QUEUES, queue.connection, logging_level="WARNING", serializer=JSONSerializer)
    lock = retries.get_locking_key("side")
    queue.connection.set(lock, "dead", ex=60)
    schedule.void_locks(queue.connection, retries)
    assert queue.connection.exists(lock), "it may live"
    queue.connection.expire(lock, 3600)
    schedule.void_locks(queue.connection, retries)
    assert not queue.connection.exists(lock)


def test_system_command_is_sent_at_once_although_the_commit_is_an_hour_ahead(redis_store, monkeypatch):
    """The worker's clock is an hour ahead of the server's, as after such a clock change."""
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
"""In milliseconds, longer than the test takes on a busy machine."""


def test_sweeper_shortens_bot_delays_but_keeps_player_deadlines(redis_store):
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


def test_exhausted_request_bucket_refills_although_it_is_an_hour_ahead(redis_store):
    while redis_store.accounts.allow("b", 3, 10)[0]:
        pass
    value = redis_store.wire.one("GET", keys.bucket("b")).decode().split(" ")
    redis_store.wire.one("SET", keys.bucket("b"), " ".join(f"{int(part) + HOUR * 1000}" for part in value))
    redis_store.accounts.allow("b", 3, 10)
    time.sleep(0.3)

    assert redis_store.accounts.allow("b", 3, 10)[0]


def test_exhausted_refusal_limit_does_not_block_for_an_hour(redis_store):
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


def test_exhausted_unrequested_command_limit_does_not_block_for_an_hour(redis_store):
    game = started(redis_store)
    unasked = {"unasked": 2, "anytime": True}
    for number in range(2):
        assert "accepted" == submit(redis_store, game, command(f"s{number}", 1, pennies=1), **unasked).status
    name = redis_store.keys.game(game).meta
    value = redis_store.wire.one("HGET", name, "u1").decode().split(" ")
    redis_store.wire.one("HSET", name, "u1", " ".join(f"{int(part) + HOUR}" for part in value))

    told = submit(redis_store, game, command("s2", 1, pennies=1), **unasked)
    assert ("unasked", True) == (told.status, 0 < told.retry_after <= 2 * 60)
