"""Draining the outbox: every event is delivered at least once, in order per game, and no receiver delays another."""

from __future__ import annotations

import threading
import time
from collections import Counter
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from domain.kernel.terms import PlayerId
from service.core.notifications.deliveries import DeliveryResult
from service.core.notifications.game_subscriptions import reconcile, subscribe_all, subscribe_game
from service.core.notifications.recent_commits import RecentCommits
from service.core.positions.cache import Positions
from service.core.queue import Queue
from service.features.notifications import dispatcher as rounds_module
from service.features.notifications.dispatcher import Dispatcher
from service.features.notifications.drain import Drain
from service.store.ports.outbox import NO_GAME, DeliveryCursor, Subscription
from tests.core.http.conftest import World
from tests.store.pump import command, pump, started, submit
from tests.workers.crew import eventually


class Notes:
    """A delivery that records what it gets, and acts as a test chooses."""

    def __init__(self, store, act=lambda owed: None):
        self.store, self.act, self.notes, self.guard = store, act, [], threading.Lock()

    def deliver(self, owed, told, subscription):
        verdict = self.act(owed)
        if verdict is not None:
            return verdict
        with self.guard:
            self.notes.append((owed.game_id, subscription.id, owed.subject or told.seq + 1))
        return DeliveryResult(None if owed.subject else DeliveryCursor(told.seq + 1))

    def of(self, game, id_):
        return [each[2] for each in self.notes if each[:2] == (game, id_)]


def subscribed(store, id_, game=None, owner="ann", **told):
    made = Subscription(id_, "notes", PlayerId(owner), game, 1, {}, **told)
    assert store.subscriptions.add(made, 0)
    subscribe_all(store, made)
    return made


def play(store, game, count=1):
    for number in range(count):
        submit(store, game, command(f"c{store.log.head(game)[0]}-{number}", 1, type_="nothing"))
        pump(store, game)


def until_quiet(store, rounds, seconds=10):
    everywhere = range(store.partitions)
    until = time.monotonic() + seconds
    while rounds.claim(everywhere) or rounds.is_busy or store.outbox.census().oldest is not None:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_each_commit_is_delivered_to_each_subscription_in_order(store):
    games = [started(store, "ann", "bob") for _ in range(3)]
    first = {game: store.log.head(game)[0] for game in games}
    subscribed(store, "s1", games[0])
    subscribed(store, "s2", games[0])
    subscribed(store, "s3", games[1])
    notes = Notes(store)
    with Dispatcher(store, {"notes": notes}) as rounds:
        for game in games:
            play(store, game, 5)
        until_quiet(store, rounds)

    for game, id_ in ((games[0], "s1"), (games[0], "s2"), (games[1], "s3")):
        assert [*range(first[game] + 1, store.log.head(game)[0] + 1)] == notes.of(game, id_)
    assert not notes.of(games[2], "s1")
    assert 0 == store.outbox.census().pending


def test_player_subscription_covers_current_and_later_joined_games(store):
    mine, others = started(store, "ann", "bob"), started(store, "cid", "bob")
    subscribed(store, "s1")
    notes = Notes(store)
    with Dispatcher(store, {"notes": notes}) as rounds:
        play(store, mine)
        play(store, others)
        later = started(store, "ann", "bob")
        subscribe_game(store, later, ["ann", "bob"])
        play(store, later)
        until_quiet(store, rounds)

    assert (1, 0, 1) == tuple(len(notes.of(game, "s1")) for game in (mine, others, later))


def test_mend_completes_a_half_created_subscription(store):
    game = started(store, "ann", "bob")
    store.subscriptions.add(Subscription("s1", "notes", PlayerId("ann"), None, 1, {}), 0)
    assert 1 == reconcile(store)
    notes = Notes(store)
    with Dispatcher(store, {"notes": notes}) as rounds:
        play(store, game)
        until_quiet(store, rounds)

    assert 1 == len(notes.of(game, "s1"))


def test_removed_or_inactive_subscription_gets_nothing(store):
    game = started(store, "ann", "bob")
    gone, off = subscribed(store, "s1", game), subscribed(store, "s2", game)
    notes = Notes(store)
    with Dispatcher(store, {"notes": notes}) as rounds:
        store.subscriptions.remove(gone)
        store.subscriptions.change(Subscription("s2", "notes", PlayerId("ann"), game, 1, {}, active=False))
        play(store, game)
        until_quiet(store, rounds)
        play(store, game)

    assert [] == notes.notes
    assert 0 == store.outbox.census().pending, "the game does not write to them any more"
    assert off.id == "s2"


def test_hanging_receivers_do_not_delay_other_deliveries(store, monkeypatch):
    monkeypatch.setattr(rounds_module, "RECLAIM_MILLISECONDS", 50)
    games = [started(store, "ann", "bob") for _ in range(4)]
    for number in range(6):
        for place, game in enumerate(games):
            subscribed(store, f"hangs{number}-{game}", game, owner=f"owner {number} {place}")
    subscribed(store, "well", None)
    free = threading.Event()
    notes = Notes(store)

    def hang(owed):
        if owed.subscription.startswith("hangs"):
            free.wait(20)
            return DeliveryResult(owed.cursor, store.schedule.now() + 100_000, failed=True)
        return None

    notes.act = hang
    # The hanging deliveries occupy all threads for slow receivers, but not most of the others.
    with Dispatcher(store, {"notes": notes}, quick=26, slow=1) as rounds:
        for game in games:
            play(store, game, 3)
        everywhere = range(store.partitions)

        def told():
            rounds.claim(everywhere)
            return [3] * 4 == [len(notes.of(game, "well")) for game in games]

        eventually(told, seconds=10)
        rounds.extend_leases(60_000)
        free.set()


class Gauge(Notes):
    """A delivery that counts concurrent calls by owner and host, and blocks until it is released."""

    def __init__(self, store, blocked=lambda subscription: True):
        super().__init__(store)
        self.blocked, self.free, self.now, self.most = blocked, threading.Event(), Counter(), Counter()

    def deliver(self, owed, told, subscription):
        names = (subscription.owner, urlsplit(subscription.terms["url"]).netloc)
        with self.guard:
            self.now.update(names)
            self.most |= self.now
        if self.blocked(subscription):
            self.free.wait(20)
        with self.guard:
            self.now.subtract(names)
        return super().deliver(owed, told, subscription)


def webhook(store, id_, owner, url):
    made = Subscription(id_, "webhook", PlayerId(owner), None, 1, {"url": url})
    assert store.subscriptions.add(made, 0)
    store.outbox.put(NO_GAME, id_, f"test:{id_}")


def test_waiting_deliveries_of_a_busy_subscription_are_claimed_again_gradually(store):
    games = [started(store, "ann", "bob") for _ in range(100)]
    for game in games:
        subscribed(store, f"s-{game}", game)
    subscribed(store, "hangs", None)
    for game in games:
        play(store, game)
    free = threading.Event()
    notes = Notes(store, lambda entry: free.wait(20) and None if entry.subscription == "hangs" else None)
    with Dispatcher(store, {"notes": notes}) as rounds:
        rounds.claim(range(store.partitions))
        time.sleep(1.3)
        due = [
            entry for entry in store.outbox.claim(range(store.partitions), 200, 5000) if entry.subscription == "hangs"
        ]
        free.set()

    assert len(due) < 60


def test_at_most_two_deliveries_run_at_once_per_owner_and_per_host(store):
    for number in range(6):
        webhook(store, f"a{number}", "ann", f"https://a{number}.example/x")
        webhook(store, f"b{number}", f"bob {number}", f"https://b.example/{number}")
    webhook(store, "well", "cid", "https://well.example/x")
    gauge = Gauge(store, lambda subscription: subscription.owner != "cid")
    with Dispatcher(store, {"webhook": gauge}) as rounds:
        rounds.claim(range(store.partitions))
        eventually(lambda: gauge.of(NO_GAME, "well"), seconds=10)
        eventually(lambda: gauge.now["ann"] == 2, seconds=10)
        gauge.free.set()
        until_quiet(store, rounds)

    assert 13 == len(gauge.notes), "everything is delivered in the end"
    assert (2, 2) == (gauge.most["ann"], gauge.most["b.example"])


def test_a_host_has_one_limit_whatever_its_spelling(store):
    spellings = ["b.example", "B.EXAMPLE", "b.example:8443", "B.example:80"]
    for number in range(8):
        webhook(store, f"b{number}", f"bob {number}", f"https://{spellings[number % 4]}/{number}")
    gauge = Gauge(store)
    with Dispatcher(store, {"webhook": gauge}) as rounds:
        rounds.claim(range(store.partitions))
        eventually(lambda: sum(gauge.now.values()) >= 4, seconds=10)
        time.sleep(0.3)
        running = sum(count for name, count in gauge.now.items() if "example" in name.lower())
        gauge.free.set()
        until_quiet(store, rounds)

    assert 2 == running
    assert 8 == len(gauge.notes)


def test_owners_take_turns_one_message_at_a_time(store):
    ids = {"ann": [f"a{number}" for number in range(8)], "bob": ["b0", "b1"]}
    for owner, some in ids.items():
        for id_ in some:
            webhook(store, id_, owner, f"https://{id_}.example/x")
    notes = Notes(store)
    with Dispatcher(store, {"webhook": notes}, quick=1) as rounds:
        until_quiet(store, rounds)

    order = [each[1] for each in notes.notes]
    assert {"b0", "b1"} <= set(order[:5]), order


def test_slow_receivers_move_to_a_pool_of_their_own(store, monkeypatch):
    late = threading.local()  # seconds by which the clock of a thread is ahead
    clock = SimpleNamespace(sleep=time.sleep, monotonic=lambda: time.monotonic() + getattr(late, "by", 0))
    monkeypatch.setattr(rounds_module, "time", clock)
    monkeypatch.setattr(rounds_module, "SLOW_AFTER", 60)
    monkeypatch.setattr(rounds_module, "SLOW_FOR", 600)
    game = started(store, "ann", "bob")
    subscribed(store, "late", game)
    subscribed(store, "well", game, owner="bob")
    threads = {"late": [], "well": []}

    def act(owed):
        threads[owed.subscription].append(threading.current_thread().name.rpartition("_")[0])
        if owed.subscription == "late":
            late.by = getattr(late, "by", 0) + 61

    notes = Notes(store, act)
    with Dispatcher(store, {"notes": notes}) as rounds:
        play(store, game, 3)
        until_quiet(store, rounds)

    assert ["deliveries", "deliveries-slow", "deliveries-slow"] == threads["late"]
    assert ["deliveries"] * 3 == threads["well"]


def test_slow_delivery_gives_its_quick_thread_to_other_receivers(store, monkeypatch):
    monkeypatch.setattr(rounds_module, "SLOW_AFTER", 0.1)
    for number in range(6):
        webhook(store, f"hangs{number}", f"owner {number}", f"https://hangs{number}.example/x")
    gauge = Gauge(store, lambda subscription: subscription.owner != "cid")
    with Dispatcher(store, {"webhook": gauge}, quick=2, slow=1) as rounds:
        rounds.claim(range(store.partitions))
        webhook(store, "well", "cid", "https://well.example/x")

        def is_delivered():
            rounds.claim(range(store.partitions))
            rounds.extend_leases(60_000)
            return gauge.of(NO_GAME, "well")

        eventually(is_delivered, seconds=5)
        gauge.free.set()
        until_quiet(store, rounds)

    assert 7 == len(gauge.notes)


def test_quick_threads_given_up_by_slow_deliveries_are_limited(store, monkeypatch):
    monkeypatch.setattr(rounds_module, "SLOW_AFTER", 0.1)
    for number in range(8):
        webhook(store, f"hangs{number}", f"owner {number}", f"https://hangs{number}.example/x")
    gauge = Gauge(store)
    with Dispatcher(store, {"webhook": gauge}, quick=2, slow=1, late=3) as rounds:
        for _ in range(10):
            rounds.claim(range(store.partitions))
            rounds.extend_leases(60_000)
            time.sleep(0.1)
        running = sum(gauge.now[f"owner {number}"] for number in range(8))
        gauge.free.set()
        until_quiet(store, rounds)

    assert 5 == running
    assert 8 == len(gauge.notes)


def test_waiting_deliveries_to_a_receiver_that_turns_slow_move_to_the_slow_pool(store, monkeypatch):
    monkeypatch.setattr(rounds_module, "SLOW_AFTER", 0.1)
    for number in range(4):
        webhook(store, f"w{number}", f"owner {number}", f"https://one.example/{number}")
    threads = []

    def act(owed):
        threads.append(threading.current_thread().name.rpartition("_")[0])
        time.sleep(0.2)

    with Dispatcher(store, {"webhook": Notes(store, act)}) as rounds:
        until_quiet(store, rounds)

    assert ["deliveries", "deliveries", "deliveries-slow", "deliveries-slow"] == threads


@pytest.mark.parametrize(("kind", "pool"), [("letters", "deliveries-email"), ("push", "deliveries-push")])
def test_email_and_push_have_pools_of_their_own(store, kind, pool):
    for number in range(20):
        webhook(store, f"w{number}", f"owner {number}", f"https://w{number}.example/x")
    store.subscriptions.add(Subscription("s1", kind, PlayerId("ann"), None, 1, {}), 0)
    names = []
    hanging = Gauge(store)
    other = Notes(store, lambda owed: names.append(threading.current_thread().name.rpartition("_")[0]))
    with Dispatcher(store, {"webhook": hanging, kind: other}, quick=2, slow=1) as rounds:
        rounds.claim(range(store.partitions))
        store.outbox.put(NO_GAME, "s1", "confirm:1")
        eventually(lambda: rounds.claim(range(store.partitions)) or names, seconds=10)
        hanging.free.set()
        until_quiet(store, rounds)

    assert [pool] == names


def test_receiver_that_failed_moves_to_the_slow_pool(store):
    game = started(store, "ann", "bob")
    subscribed(store, "bad", game)
    subscribed(store, "well", game, owner="bob")
    threads = {}

    def act(owed):
        threads.setdefault(owed.subscription, []).append(threading.current_thread().name)
        if owed.subscription == "bad":
            return DeliveryResult(
                DeliveryCursor(owed.cursor.seq, owed.cursor.tries + 1),
                store.schedule.now(),
                failed=len(threads["bad"]) < 3,
            )
        return None

    notes = Notes(store, act)
    with Dispatcher(store, {"notes": notes}) as rounds:
        play(store, game)
        eventually(lambda: rounds.claim(range(store.partitions)) is None or len(threads.get("bad", ())) >= 3)
        rounds.finish(5000)

    names = [name.rpartition("_")[0] for name in threads["bad"][:3]]
    assert ["deliveries", "deliveries-slow", "deliveries-slow"] == names
    assert {"deliveries"} == {name.rpartition("_")[0] for name in threads["well"]}


def test_error_in_one_game_does_not_stop_deliveries_of_others(store):
    broken, well = started(store, "ann", "bob"), started(store, "ann", "bob")
    subscribed(store, "s1")

    def act(owed):
        if owed.game_id == broken:
            raise ZeroDivisionError("a fault of ours")

    notes = Notes(store, act)
    with Dispatcher(store, {"notes": notes}) as rounds:
        play(store, broken)
        play(store, well)
        until_quiet(store, rounds)

    assert 1 == len(notes.of(well, "s1"))
    assert 1 == store.outbox.census().pending, "it is tried again later"


def test_delivery_of_an_unknown_kind_stays_pending(store):
    game = started(store, "ann", "bob")
    subscribed(store, "s1", game)
    with Dispatcher(store, {}) as rounds:
        play(store, game)
        until_quiet(store, rounds)

    assert 1 == store.outbox.census().pending


def test_message_outside_the_log_is_delivered_once(store):
    game = started(store, "ann", "bob")
    subscribed(store, "s1", game, active=False)
    notes = Notes(store)
    store.outbox.put(NO_GAME, "s1", "test:7")
    store.outbox.put(NO_GAME, "nobody", "test:8")
    with Dispatcher(store, {"notes": notes}) as rounds:
        until_quiet(store, rounds)

    assert [(NO_GAME, "s1", "test:7")] == notes.notes
    assert 0 == store.outbox.census().pending


@pytest.fixture
def queue(redis_url):
    return Queue(f"{redis_url}?db=1")


def test_drain_notices_new_posts_and_ends_when_nothing_is_pending(redis_store, queue, monkeypatch):
    monkeypatch.setattr("service.features.notifications.drain.LINGER", 1.0)
    game = started(redis_store, "ann", "bob")
    subscribed(redis_store, "s1", game)
    notes = Notes(redis_store)
    queue.post([3])
    assert 1 == queue.waiting()["side"]
    queue.connection.delete("rq:queue:side")
    with Dispatcher(redis_store, {"notes": notes}) as rounds:
        drain = threading.Thread(target=Drain(queue, rounds, lambda: False).run, args=(30.0,))
        drain.start()
        time.sleep(0.3)
        play(redis_store, game)
        queue.post(redis_store.outbox.owing())
        assert 0 == queue.waiting()["side"], "a drain lives, and no other one is asked for"
        eventually(lambda: 1 == len(notes.notes), seconds=0.5)
        drain.join(10)

    assert not drain.is_alive()
    queue.post([3])
    assert 1 == queue.waiting()["side"], "it has let go"


def test_drain_yields_to_other_jobs_and_enqueues_itself_if_work_is_left(redis_store, queue):
    game = started(redis_store, "ann", "bob")
    for number in range(9):
        subscribed(redis_store, f"s{number}", game)
    play(redis_store, game)
    queue.post(redis_store.outbox.owing())
    queue.connection.delete("rq:queue:side")
    queue.enqueue_side("workers.schedule.sweep")
    notes = Notes(redis_store, lambda owed: time.sleep(0.3) or DeliveryResult(owed.cursor))
    with Dispatcher(redis_store, {"notes": notes}, quick=1) as rounds:
        begun = time.monotonic()
        Drain(queue, rounds, lambda: False).run(30.0)

    assert time.monotonic() - begun < 5
    assert 2 == queue.waiting()["side"]
    assert {redis_store.schedule.partition(game)} == queue.posted(0)


def test_drain_checks_only_posted_partitions(redis_store, queue, monkeypatch):
    monkeypatch.setattr("service.features.notifications.drain.LINGER", 0.1)
    looked = []
    with Dispatcher(redis_store, {}) as rounds:
        monkeypatch.setattr(rounds, "claim", looked.extend)
        queue.post([3])
        Drain(queue, rounds, lambda: False).run(30.0)

    assert [3] == looked


def test_yielding_drain_serves_others_while_it_waits_for_slow_receivers(redis_store, queue, monkeypatch):
    monkeypatch.setattr(rounds_module, "SLOW_AFTER", 0.2)
    monkeypatch.setattr("service.features.notifications.drain.TICK", 0.3)
    slow, quick = started(redis_store, "ann", "bob"), started(redis_store, "cid", "dan")
    subscribed(redis_store, "slow", slow)
    subscribed(redis_store, "quick", quick, owner="cid")
    free = threading.Event()
    notes = Notes(redis_store, lambda owed: free.wait(20) and None if owed.subscription == "slow" else None)
    play(redis_store, slow)
    queue.post(redis_store.outbox.owing())
    queue.connection.delete("rq:queue:side")
    with Dispatcher(redis_store, {"notes": notes}) as rounds:
        drain = threading.Thread(target=Drain(queue, rounds, lambda: False).run, args=(30.0,))
        drain.start()
        time.sleep(0.5)
        queue.enqueue_side("workers.schedule.sweep")
        time.sleep(1.0)
        play(redis_store, quick)
        queue.post(redis_store.outbox.owing())
        eventually(lambda: notes.of(quick, "quick"), seconds=3)
        assert drain.is_alive(), "it waits for the slow receiver"
        free.set()
        drain.join(10)

    assert not drain.is_alive()
    assert notes.of(slow, "slow")
    assert {"slow": 60} == {receiver: round(left / 10) * 10 for receiver, left in queue.slow_receivers().items()}


def test_drain_knows_the_slow_receivers_of_the_previous_one(redis_store, queue, monkeypatch):
    monkeypatch.setattr("service.features.notifications.drain.LINGER", 0.1)
    queue.keep_slow_receivers({"s1": 60.0, "fast again": -1.0})
    game = started(redis_store, "ann", "bob")
    subscribed(redis_store, "s1", game)
    threads = []
    notes = Notes(redis_store, lambda owed: threads.append(threading.current_thread().name.rpartition("_")[0]))
    play(redis_store, game)
    queue.post(redis_store.outbox.owing())
    with Dispatcher(redis_store, {"notes": notes}) as rounds:
        Drain(queue, rounds, lambda: False).run(30.0)

    assert ["deliveries-slow"] == threads
    assert ["s1"] == list(queue.slow_receivers())


def test_superfluous_drain_jobs_are_removed(redis_store, queue, monkeypatch):
    monkeypatch.setattr("service.features.notifications.drain.LINGER", 0.1)
    for _ in range(5):
        queue.post([3])
        queue.connection.delete("oraclewheel:drain")  # a job kept the worker for more than 3 seconds
    broken = queue._jobs("side").enqueue("workers.schedule.sweep")
    queue.connection.hset(f"rq:job:{broken.id}", "data", b"broken")
    queue.enqueue_side("workers.schedule.sweep")
    assert 7 == queue.waiting()["side"]
    with Dispatcher(redis_store, {}) as rounds:
        Drain(queue, rounds, lambda: False).run(0.0)

    left = queue._jobs("side").get_jobs()
    assert broken.id == left[0].id
    assert ["workers.schedule.sweep"] == [job.func_name for job in left[1:]]


def test_claims_of_a_killed_worker_are_delivered_by_another(redis_store):
    game = started(redis_store, "ann", "bob")
    subscribed(redis_store, "s1", game)
    play(redis_store, game)
    redis_store.outbox.claim(range(256), 10, 300)
    notes = Notes(redis_store)
    with Dispatcher(redis_store, {"notes": notes}) as rounds:
        assert 0 == rounds.claim(range(256))
        eventually(lambda: rounds.claim(range(256)) or notes.notes, seconds=5)

    assert [redis_store.log.head(game)[0]] == notes.of(game, "s1")


def test_news_of_a_commit_is_cached_and_lists_its_new_questions(store):
    game = started(store, "ann", "bob")
    submit(store, game, command("c1", 1, pennies=1))
    pump(store, game)
    submit(store, game, command("c2", 2, pennies=1))
    pump(store, game)
    news = RecentCommits(store, Positions(store))
    told = news.load_game(game)

    whole = news.read_after(told, 0)
    asked = {each.commit.seq: sorted(one.question.seat for one in each.questions) for each in whole}

    assert [*range(1, store.log.head(game)[0] + 1)] == [*asked]
    assert [1, 2] == asked[1]
    assert [] == asked[2]
    assert whole[2] is news.read_after(told, 2)[0]


def test_subscriptions_of_seated_players_cover_a_game_from_its_start():
    world = World()
    ash, birk = world.player("Ash"), world.player("Birk")
    for id_, player in (("s1", ash), ("s2", birk)):
        owner = player.get("/v1/me").json["id"]
        world.store.subscriptions.add(Subscription(id_, "notes", PlayerId(owner), None, 1, {}), 0)
    made = ash.make_game(seats=2)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])

    owed = world.store.outbox.claim(range(256), 10, 1000)

    assert [(made["id"], "s1", 0), (made["id"], "s2", 0)] == sorted(
        (each.game_id, each.subscription, each.cursor.seq) for each in owed if not each.subject
    )
