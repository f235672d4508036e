"""The outbox: what the append writes with a commit, who is handed it, and when it is done; on a server and in a cluster."""

from __future__ import annotations

from domain.terms import PlayerId
from service.store.ports.outbox import EVERYWHERE, MOST_NOTED, Subscription, Told
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


def test_a_game_that_is_told_to_nobody_leaves_nothing(store):
    game = started(store)
    play(store, game, "c1")

    assert [] == claimed(store, game)
    assert set() == store.outbox.owing()
    assert 0 == store.outbox.census().owed


def test_every_commit_after_it_was_subscribed_to_is_owed(store):
    game = started(store)
    newest = store.log.head(game)[0]
    assert [True] == store.outbox.listen([game], "s1")
    assert [] == claimed(store, game), "of what was before, nobody is told"

    play(store, game, "c1")

    assert {store.schedule.partition(game)} == store.outbox.owing()
    assert set() == store.outbox.owing()
    (owed,) = claimed(store, game)
    assert (game, "s1", "", Told(newest)) == (*owed.place, owed.told)
    assert owed.until == owed.claimed + LEASE <= owed.now() + LEASE
    assert [] == claimed(store, game), "it is leased"


def test_what_is_appended_meanwhile_is_owed_when_it_is_settled(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (first,) = claimed(store, game)
    newest = store.log.head(game)[0]

    play(store, game, "c2", 2)

    assert [] == claimed(store, game)
    assert store.outbox.settle(first, Told(newest))
    (second,) = claimed(store, game)
    assert newest == second.told.seq
    assert store.outbox.settle(second, Told(store.log.head(game)[0]))
    assert [] == claimed(store, game)
    assert 0 == store.outbox.census().owed


def test_what_is_appended_meanwhile_can_be_leased_with_the_settling(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (first,) = claimed(store, game)
    newest = store.log.head(game)[0]
    play(store, game, "c2", 2)

    second = store.outbox.settle(first, Told(newest), lease=LEASE)

    assert (first.place, Told(newest)) == (second.place, second.told)
    assert first.until < second.until
    assert [] == claimed(store, game), "it is leased"
    assert not store.outbox.settle(first, Told(newest)), "the first lease has ended"
    assert True is store.outbox.settle(second, Told(store.log.head(game)[0]), lease=LEASE), "nothing more is owed"
    assert 0 == store.outbox.census().owed


def test_a_lease_that_was_lost_settles_nothing(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (lost,) = claimed(store, game, lease=0)
    (held,) = claimed(store, game)

    assert not store.outbox.settle(lost, Told(2))
    assert [None] == list(store.outbox.keep([lost], LEASE))
    (kept,) = store.outbox.keep([held], LEASE)
    assert not store.outbox.settle(held, Told(2)), "that one was prolonged, and is another now"
    assert store.outbox.settle(kept, Told(2))


def test_it_is_handed_out_again_when_its_lease_has_lapsed_or_its_time_has_come(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (lapsed,) = claimed(store, game, lease=0)
    (owed,) = claimed(store, game)
    assert owed.place == lapsed.place

    now = store.schedule.now()
    assert store.outbox.settle(owed, Told(owed.told.seq, 1, now, "so"), again=now + 60_000)
    store.outbox.owing()
    play(store, game, "c2", 2)
    assert [] == claimed(store, game), "no commit brings it forward"
    assert set() == store.outbox.owing()

    assert store.outbox.census().owed == 1
    assert store.outbox.census().oldest is None


def test_another_try_is_handed_out_when_it_is_due(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (owed,) = claimed(store, game)
    tried = Told(owed.told.seq, 1, 1234, "a note with blanks")

    store.outbox.settle(owed, tried, again=store.schedule.now())

    (owed,) = claimed(store, game)
    assert tried == owed.told


def test_a_sweep_says_what_is_due_that_nobody_sees_to(store):
    game = started(store)
    partition = store.schedule.partition(game)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    store.outbox.owing()
    (owed,) = claimed(store, game)
    store.schedule.sweep(partition)
    assert set() == store.outbox.owing(), "somebody has it"

    store.outbox.settle(owed, owed.told, again=store.schedule.now())
    store.schedule.sweep(partition)

    assert {partition} == store.outbox.owing()
    assert 0 <= store.outbox.census().oldest < 60_000


def test_who_leaves_is_owed_nothing_more(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    store.outbox.listen([game], "s2")
    play(store, game, "c1")
    (held, other) = sorted(claimed(store, game), key=lambda owed: owed.subscription)

    store.outbox.leave([game], "s1")

    newest = store.log.head(game)[0]
    assert not store.outbox.settle(held, Told(newest))
    assert store.outbox.settle(other, Told(newest))
    play(store, game, "c2", 2)
    assert ["s2"] == [owed.subscription for owed in claimed(store, game)]


def test_whoever_listens_already_goes_on_where_they_were(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    stood = store.log.head(game)[0]
    play(store, game, "c1")

    assert [True] == store.outbox.listen([game], "s1")

    assert [stood] == [owed.told.seq for owed in claimed(store, game)]


def test_nobody_listens_to_what_is_not_there_or_over_nor_when_too_many_do(store, monkeypatch):
    lobby = opened(store, "ann", "bob")
    assert [False, True] == list(store.outbox.listen(["nothing", lobby.id], "s1"))
    monkeypatch.setattr("service.store.redis.log.post.outbox.MOST_LISTENING", 2)

    assert [[True], [False], [True]] == [store.outbox.listen([lobby.id], each) for each in ("s2", "s3", "s2")]


def test_a_lobby_is_told_from_its_first_commit_on(store):
    lobby = opened(store, "ann", "bob")
    store.outbox.listen([lobby.id], "s1")
    store.lobbies.start(lobby.id, "ann", "begin")
    pump(store, lobby.id)

    assert [Told(0)] == [owed.told for owed in claimed(store, lobby.id)]


def test_the_last_commit_is_owed_too(store):
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
    assert store.outbox.settle(owed, Told(newest))


def test_something_besides_commits_is_owed_once(store):
    game = started(store)
    for where in (game, EVERYWHERE):
        store.outbox.put(where, "s1", "test:1")
        (owed,) = claimed(store, where)
        assert (where, "s1", "test:1", None) == (*owed.place, owed.told)
        assert store.outbox.settle(owed, None)
        assert [] == claimed(store, where)


def test_nothing_is_owed_of_a_lobby_that_is_removed(store):
    lobby = opened(store, "ann", "bob")
    store.outbox.listen([lobby.id], "s1")
    store.lobbies.delete(lobby.id)
    again = opened(store, "ann", "bob")

    assert [False] == store.outbox.listen([lobby.id], "s1")
    assert [True] == store.outbox.listen([again.id], "s1")


def test_when_the_clock_is_set_back_another_try_is_as_far_off_as_it_was(store):
    game = started(store)
    store.outbox.listen([game], "s1")
    play(store, game, "c1")
    (owed,) = claimed(store, game)
    hour = 3_600_000
    store.outbox.settle(owed, owed.told, again=store.schedule.now() + hour)

    store.schedule.clock_back(store.schedule.partition(game), hour)

    assert 1 == len(claimed(store, game))


def test_subscriptions_are_kept_with_their_players(store):
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


def test_the_same_one_again_takes_no_second_place_and_is_not_lost_where_all_are_taken(store):
    assert store.subscriptions.add(of("s1"), 1)
    again = of("s1", terms={"url": "y"})
    assert store.subscriptions.add(again, 1)
    assert [again] == list(store.subscriptions.of(["ann"]))

    store.subscriptions.remove(again)
    assert store.subscriptions.add(of("s2"), 1), "and its place is free when it is gone"


def test_what_somebody_else_has_under_that_id_is_not_written_over(store):
    first = of("s1")
    assert store.subscriptions.add(first, 1)

    assert not store.subscriptions.add(of("s1", owner="bob"), 1)
    assert first == store.subscriptions.get("s1")
    assert ([first], []) == tuple(list(store.subscriptions.of([owner])) for owner in ("ann", "bob"))


def test_what_became_of_words_is_noted_up_to_a_number(store):
    subscription = of("s1")
    store.subscriptions.add(subscription, 0)
    store.subscriptions.note("s1", {"id": "dead"}, dead=True)
    for number in range(MOST_NOTED):
        store.subscriptions.note("s1", {"id": number})

    assert [*range(MOST_NOTED)][::-1] == [each["id"] for each in store.subscriptions.noted("s1")]
    assert [{"id": "dead"}] == list(store.subscriptions.noted("s1", dead=True))
    assert 1 == store.outbox.census().dead
    store.subscriptions.remove(subscription)
    assert ([], []) == tuple(list(store.subscriptions.noted("s1", dead=dead)) for dead in (False, True))


def test_whatever_somebody_writes_over_what_was_told_is_the_trouble_of_that_game_alone(redis_store):
    games = [started(redis_store) for _ in range(2)]
    for game in games:
        redis_store.outbox.listen([game], "s1")
        play(redis_store, game, "c1")
    name = redis_store.keys.game(games[0]).told
    redis_store.wire.all([("DEL", name), ("SET", name, "x")])

    found = [owed for game in games for owed in claimed(redis_store, game)]

    assert [True, False] == [owed.told is None for owed in found]
    redis_store.outbox.leave([games[0]], "s1")
    assert [True] == redis_store.outbox.listen([games[0]], "s1")


def test_play_goes_on_where_somebody_writes_over_the_outbox(redis_store):
    game = started(redis_store)
    redis_store.outbox.listen([game], "s1")
    name = redis_store.keys.partition(game).outbox
    redis_store.wire.one("SET", name, "x")

    play(redis_store, game, "c1")

    assert 1 == len(claimed(redis_store, game))
