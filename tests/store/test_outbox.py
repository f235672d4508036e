"""The outbox: what `append` writes with a commit, who claims it, and when it is settled; on a server and in a cluster."""

from __future__ import annotations

from domain.kernel.terms import PlayerId
from service.store.ports.outbox import MAX_RECORDED_ATTEMPTS, NO_GAME, DeliveryCursor, Subscription
from tests.store.pump import command, opened, pump, started, submit

LEASE = 3000


def of(id_, owner="ann", kind="webhook", **told):
    fields = {"game": None, "made_at": 1, "terms": {"url": "x"}}
    return Subscription(id_, kind, PlayerId(owner), **{**fields, **told})


def play(store, game, id_, seat=1):
    submit(store, game, command(id_, seat, pennies=1))
    pump(store, game)


def claimed(store, game, lease=LEASE):
    return list(store.outbox.claim([store.schedule.partition(game)], 10, lease))


def test_game_without_subscribers_writes_no_pending_delivery(store):
    game = started(store)
    play(store, game, "c1")

    assert [] == claimed(store, game)
    assert set() == store.outbox.owing()
    assert 0 == store.outbox.census().pending


def test_commits_after_a_subscription_are_pending_deliveries(store):
    game = started(store)
    newest = store.log.head(game)[0]
    assert [True] == store.outbox.listen([game], "s1")
    assert [] == claimed(store, game), "of what was before, nobody is told"

    play(store, game, "c1")

    assert {store.schedule.partition(game)} == store.outbox.owing()
    assert set() == store.outbox.owing()
    (owed,) = claimed(store, game)
    assert (game, "s1", "", DeliveryCursor(newest)) == (*owed.key, owed.cursor)
    assert owed.lease_ends == owed.claimed_at + LEASE <= owed.now() + LEASE
    assert [] == claimed(store, game), "it is leased"


def test_commit_appended_during_a_delivery_is_pending_after_it_is_settled(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (first,) = claimed(store, game)
    newest = store.log.head(game)[0]

    play(store, game, "c2", 2)

    assert [] == claimed(store, game)
    assert store.outbox.settle(first, DeliveryCursor(newest))
    (second,) = claimed(store, game)
    assert newest == second.cursor.seq
    assert store.outbox.settle(second, DeliveryCursor(store.log.head(game)[0]))
    assert [] == claimed(store, game)
    assert 0 == store.outbox.census().pending


def test_settling_can_lease_the_delivery_of_a_newer_commit(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (first,) = claimed(store, game)
    newest = store.log.head(game)[0]
    play(store, game, "c2", 2)

    second = store.outbox.settle(first, DeliveryCursor(newest), lease=LEASE)

    assert (first.key, DeliveryCursor(newest)) == (second.key, second.cursor)
    assert first.lease_ends < second.lease_ends
    assert [] == claimed(store, game), "it is leased"
    assert not store.outbox.settle(first, DeliveryCursor(newest)), "the first lease has ended"
    assert True is store.outbox.settle(second, DeliveryCursor(store.log.head(game)[0]), lease=LEASE), (
        "nothing more is owed"
    )
    assert 0 == store.outbox.census().pending


def test_lost_or_renewed_lease_cannot_settle(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (lost,) = claimed(store, game, lease=0)
    (held,) = claimed(store, game)

    assert not store.outbox.settle(lost, DeliveryCursor(2))
    assert [None] == list(store.outbox.keep([lost], LEASE))
    (kept,) = store.outbox.keep([held], LEASE)
    assert not store.outbox.settle(held, DeliveryCursor(2)), "that one was prolonged, and is another now"
    assert store.outbox.settle(kept, DeliveryCursor(2))


def test_expired_lease_is_claimed_again_and_a_new_commit_advances_no_retry(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (lapsed,) = claimed(store, game, lease=0)
    (owed,) = claimed(store, game)
    assert owed.key == lapsed.key

    now = store.schedule.now()
    assert store.outbox.settle(owed, DeliveryCursor(owed.cursor.seq, 1, now, "so"), again=now + 60_000)
    store.outbox.owing()
    play(store, game, "c2", 2)
    assert [] == claimed(store, game), "no commit brings it forward"
    assert set() == store.outbox.owing()

    assert store.outbox.census().pending == 1
    assert store.outbox.census().oldest is None


def test_retry_is_claimed_when_it_is_due(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (owed,) = claimed(store, game)
    tried = DeliveryCursor(owed.cursor.seq, 1, 1234, "a note with blanks")

    store.outbox.settle(owed, tried, again=store.schedule.now())

    (owed,) = claimed(store, game)
    assert tried == owed.cursor


def test_sweep_reports_a_due_delivery_that_is_not_leased(store):
    game = started(store)
    partition = store.schedule.partition(game)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    store.outbox.owing()
    (owed,) = claimed(store, game)
    store.schedule.sweep(partition)
    assert set() == store.outbox.owing(), "somebody has it"

    store.outbox.settle(owed, owed.cursor, again=store.schedule.now())
    store.schedule.sweep(partition)

    assert {partition} == store.outbox.owing()
    assert 0 <= store.outbox.census().oldest < 60_000


def test_ended_subscription_gets_no_more_deliveries(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    store.outbox.listen([game], "s2")
    play(store, game, "c1")
    (held, other) = sorted(claimed(store, game), key=lambda owed: owed.subscription)

    store.outbox.leave([game], "s1")

    newest = store.log.head(game)[0]
    assert not store.outbox.settle(held, DeliveryCursor(newest))
    assert store.outbox.settle(other, DeliveryCursor(newest))
    play(store, game, "c2", 2)
    assert ["s2"] == [owed.subscription for owed in claimed(store, game)]


def test_repeated_subscription_keeps_its_cursor(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    stood = store.log.head(game)[0]
    play(store, game, "c1")

    assert [True] == store.outbox.listen([game], "s1")

    assert [stood] == [owed.cursor.seq for owed in claimed(store, game)]


def test_subscription_to_a_missing_game_or_above_the_limit_is_refused(store, monkeypatch):
    lobby = opened(store, "ann", "bob")
    assert [False, True] == list(store.outbox.listen(["nothing", lobby.id], "s1"))
    monkeypatch.setattr("service.store.redis.log.outbox.MAX_SUBSCRIPTIONS_PER_GAME", 2)

    assert [[True], [False], [True]] == [store.outbox.listen([lobby.id], each) for each in ("s2", "s3", "s2")]


def test_lobby_is_delivered_from_its_first_commit_on(store):
    lobby = opened(store, "ann", "bob")
    store.outbox.listen([lobby.id], "s1")
    store.lobbies.start(lobby.id, "ann", "begin")
    pump(store, lobby.id)

    assert [DeliveryCursor(0)] == [owed.cursor for owed in claimed(store, lobby.id)]


def test_last_commit_is_delivered_and_an_ended_game_takes_no_subscription(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    number = 0
    while store.lobbies.get(game).status != "over":
        number += 1
        play(store, game, f"c{number}", 1 + number % 2)
        assert number < 100

    (owed,) = claimed(store, game)
    newest = store.log.head(game)[0]
    assert [False] == store.outbox.listen([game], "s2"), "nothing more comes"
    assert store.outbox.settle(owed, DeliveryCursor(newest))


def test_message_other_than_a_commit_is_delivered_once(store):
    game = started(store)
    for where in (game, NO_GAME):
        store.outbox.put(where, "s1", "test:1")
        (owed,) = claimed(store, where)
        assert (where, "s1", "test:1", None) == (*owed.key, owed.cursor)
        assert store.outbox.settle(owed, None)
        assert [] == claimed(store, where)


def test_deleted_lobby_has_no_subscriptions(store):
    lobby = opened(store, "ann", "bob")
    store.outbox.listen([lobby.id], "s1")
    store.lobbies.delete(lobby.id)
    again = opened(store, "ann", "bob")

    assert [False] == store.outbox.listen([lobby.id], "s1")
    assert [True] == store.outbox.listen([again.id], "s1")


def test_clock_set_back_does_not_delay_a_retry(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (owed,) = claimed(store, game)
    hour = 3_600_000
    store.outbox.settle(owed, owed.cursor, again=store.schedule.now() + hour)

    store.schedule.clock_back(store.schedule.partition(game), hour)

    assert 1 == len(claimed(store, game))


def test_subscriptions_are_stored_with_their_players(store):
    one, two = of("s1", made_at=2), of("s2", game="g1", made_at=1)
    other = of("s3", owner="bob")
    assert all(store.subscriptions.add(each, 2) for each in (one, two, other))
    assert not store.subscriptions.add(of("s4"), 2)
    assert store.subscriptions.add(of("s5", kind="letters", made_at=3), 2), "each kind is counted by itself"

    assert store.subscriptions.get("s4") is None
    assert one == store.subscriptions.get("s1")
    assert ["s2", "s1", "s5"] == [each.id for each in store.subscriptions.of(["ann"])]
    assert {"s1", "s2", "s3", "s5"} == {each.id for each in store.subscriptions.every()}

    changed = of("s1", terms={"url": "y"}, active=False)
    assert store.subscriptions.change(changed)
    assert changed == store.subscriptions.get("s1")
    assert not store.subscriptions.change(one, one), "it is another by now"
    assert changed == store.subscriptions.get("s1")
    assert store.subscriptions.change(one, changed)
    store.subscriptions.remove(one)
    assert not store.subscriptions.change(one)
    assert not store.subscriptions.change(one, one)
    assert store.subscriptions.get("s1") is None
    assert store.subscriptions.add(of("s6"), 2)


def test_replacing_a_subscription_does_not_count_toward_the_limit(store):
    assert store.subscriptions.add(of("s1"), 1)
    again = of("s1", terms={"url": "y"})
    assert store.subscriptions.add(again, 1)
    assert [again] == list(store.subscriptions.of(["ann"]))

    store.subscriptions.remove(again)
    assert store.subscriptions.add(of("s2"), 1), "and its place is free when it is gone"


def test_subscription_id_of_another_player_is_not_overwritten(store):
    first = of("s1")
    assert store.subscriptions.add(first, 1)

    assert not store.subscriptions.add(of("s1", owner="bob"), 1)
    assert first == store.subscriptions.get("s1")
    assert ([first], []) == tuple(list(store.subscriptions.of([owner])) for owner in ("ann", "bob"))


def test_delivery_notes_are_kept_up_to_a_limit(store):
    subscription = of("s1")
    store.subscriptions.add(subscription, 0)
    store.subscriptions.note("s1", {"id": "dead"}, dead=True)
    for number in range(MAX_RECORDED_ATTEMPTS):
        store.subscriptions.note("s1", {"id": number})

    assert [*range(MAX_RECORDED_ATTEMPTS)][::-1] == [each["id"] for each in store.subscriptions.noted("s1")]
    assert [{"id": "dead"}] == list(store.subscriptions.noted("s1", dead=True))
    assert 1 == store.outbox.census().dead
    store.subscriptions.remove(subscription)
    assert ([], []) == tuple(list(store.subscriptions.noted("s1", dead=dead)) for dead in (False, True))


def test_overwritten_subscription_key_affects_only_its_own_game(redis_store):
    games = [started(redis_store) for _ in range(2)]
    for game in games:
        redis_store.outbox.listen([game], "s1")
        play(redis_store, game, "c1")
    name = redis_store.keys.game(games[0]).told
    redis_store.wire.all([("DEL", name), ("SET", name, "x")])

    found = [owed for game in games for owed in claimed(redis_store, game)]

    assert [True, False] == [owed.cursor is None for owed in found]
    redis_store.outbox.leave([games[0]], "s1")
    assert [True] == redis_store.outbox.listen([games[0]], "s1")


def test_game_continues_if_its_outbox_key_is_overwritten(redis_store):
    game = started(redis_store)
    redis_store.outbox.listen([game], "s1")
    name = redis_store.keys.partition(game).outbox
    redis_store.wire.one("SET", name, "x")

    play(redis_store, game, "c1")

    assert 1 == len(claimed(redis_store, game))
