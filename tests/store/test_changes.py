"""The changes of games in a store: every follower gets each at least once, or is told that it missed some."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.store.pump import command, pump, started, submit
from tests.stores import new_store

NAMES = ("first", "second")


def add(store, partition, game, seq, count=1):
    """Add an entry as append.lua does."""
    fields = ("g", game, "s", seq, "n", count)
    store.wire.one("XADD", store.keys.partitions[partition].changes, "0-*", *fields)


def read(store, name="first", partition=0, **options):
    return store.changes.read(name, [partition], 100, **options)


def games_in(unread):
    return [(change.game_id, change.seq) for change in unread.changes]


def test_commits_of_a_call_are_one_change_with_their_last_seq(redis_store):
    game = started(redis_store)
    partition = redis_store.keys.number(game)
    (begun,) = read(redis_store, partition=partition).changes
    assert (game, 1, 1) == (begun.game_id, begun.seq, begun.count)

    submit(redis_store, game, command("s1", 1, pennies=1))
    pump(redis_store, game)
    assert [(game, 2)] == games_in(read(redis_store, partition=partition))


def test_change_is_read_again_only_if_it_was_not_acknowledged(redis_store):
    add(redis_store, 0, "g1", 1)
    for name in NAMES:
        assert [("g1", 1)] == games_in(read(redis_store, name))
        assert [] == games_in(read(redis_store, name))

    (lost,) = read(redis_store, lost_after=0).changes
    redis_store.changes.acknowledge("first", [lost])
    assert [] == games_in(read(redis_store, lost_after=0))
    assert [("g1", 1)] == games_in(read(redis_store, "second", lost_after=0))


def test_late_follower_reads_what_is_left_and_misses_what_was_trimmed(redis_store):
    for seq in (1, 2, 3):
        add(redis_store, 0, "g1", seq)
    assert set() == read(redis_store).missed
    redis_store.wire.one("XTRIM", redis_store.keys.partitions[0].changes, "MAXLEN", 1)

    late = read(redis_store, "second")
    assert ([("g1", 3)], {0}) == (games_in(late), late.missed)


def test_changes_that_were_read_and_then_trimmed_are_missed(redis_store):
    for seq in (1, 2):
        add(redis_store, 0, "g1", seq)
    read(redis_store)
    redis_store.wire.one("XTRIM", redis_store.keys.partitions[0].changes, "MAXLEN", 0)

    assert {0} == read(redis_store, lost_after=0).missed


def test_changes_that_were_trimmed_before_they_were_read_are_missed(redis_store):
    add(redis_store, 0, "g1", 1)
    read(redis_store)
    for seq in (2, 3, 4):
        add(redis_store, 0, "g1", seq)
    redis_store.wire.one("XTRIM", redis_store.keys.partitions[0].changes, "MAXLEN", 1)

    after = read(redis_store)
    assert ([("g1", 4)], {0}) == (games_in(after), after.missed)


@pytest.mark.parametrize("damage", [("DEL",), ("SET", "x")])
def test_stream_that_was_lost_or_overwritten_is_missed(redis_store, damage):
    add(redis_store, 0, "g1", 1)
    read(redis_store)
    word, *value = damage
    redis_store.wire.one(word, redis_store.keys.partitions[0].changes, *value)
    if word == "DEL":
        add(redis_store, 0, "g1", 2)

    assert {0} == read(redis_store).missed


def test_partition_without_commits_has_no_stream(redis_store):
    assert ([], set()) == (read(redis_store).changes, read(redis_store).missed)
    assert 0 == redis_store.wire.one("EXISTS", redis_store.keys.partitions[0].changes)


def test_only_what_every_follower_has_acknowledged_is_trimmed(redis_store):
    for seq in (1, 2, 3):
        add(redis_store, 0, "g1", seq)
    name = redis_store.keys.partitions[0].changes
    redis_store.changes.acknowledge("first", read(redis_store).changes)
    (one, *others) = read(redis_store, "second").changes
    redis_store.changes.acknowledge("second", [one])
    redis_store.changes.trim([0])
    assert 3 == redis_store.wire.one("XLEN", name)

    redis_store.changes.acknowledge("second", others)
    redis_store.changes.trim([0])
    assert 1 == redis_store.wire.one("XLEN", name)
    assert set() == read(redis_store, "second").missed


def test_what_followers_have_left_is_counted(redis_store):
    everywhere = range(redis_store.partitions)
    assert {} == redis_store.changes.behind("first", everywhere)
    add(redis_store, 7, "g1", 1)
    add(redis_store, 7, "g2", 1)
    assert {7: 1} == redis_store.changes.behind("first", everywhere), "it has not begun"
    redis_store.changes.acknowledge("first", read(redis_store, partition=7).changes)
    read(redis_store, "second", 7)

    assert {} == redis_store.changes.behind("first", everywhere)
    assert {7: 2} == redis_store.changes.behind("second", everywhere)
    assert (set(), {"g1", "g2"}) == (redis_store.changes.unseen("first"), redis_store.changes.unseen("second"))


class Following(RuleBasedStateMachine):
    """Followers that are killed after reading, streams that are trimmed or deleted: no commit is lost on anyone."""

    def __init__(self):
        super().__init__()
        self.store = new_store()
        self.written = {}
        self.seen = {name: {} for name in NAMES}
        self.lost = dict.fromkeys(NAMES, False)

    @rule(game=st.sampled_from("abc"), count=st.integers(1, 3))
    def append(self, game, count):
        self.written[game] = self.written.get(game, 0) + count
        add(self.store, 0, game, self.written[game], count)

    @rule(name=st.sampled_from(NAMES), killed=st.booleans(), limit=st.integers(1, 3))
    def follow(self, name, killed, limit):
        unread = self.store.changes.read(name, [0], limit, lost_after=0)
        if killed:
            return
        for change in unread.changes:
            before = self.seen[name].get(change.game_id, 0)
            # Later ones may have been read while this one was lost, but none is skipped unless it was missed.
            self.seen[name][change.game_id] = max(before, change.seq)
        if unread.missed:
            self.seen[name] = dict(self.written)  # it looks at the games themselves
        self.store.changes.acknowledge(name, unread.changes)

    @rule(left=st.integers(0, 2))
    def trim_by_hand(self, left):
        self.store.wire.many([("XTRIM", self.store.keys.partitions[0].changes, "MAXLEN", left)])

    @rule()
    def trim(self):
        self.store.changes.trim([0])

    @rule()
    def lose(self):
        self.store.wire.one("DEL", self.store.keys.partitions[0].changes)

    @invariant()
    def nothing_is_seen_that_was_not_written(self):
        for seen in self.seen.values():
            assert all(seq <= self.written[game] for game, seq in seen.items())

    def teardown(self):
        # After one more commit of each game, a follower that reads to the end knows all of them.
        for game in self.written:
            self.written[game] += 1
            add(self.store, 0, game, self.written[game])
        for name in NAMES:
            for _ in range(3 + sum(self.written.values())):
                self.follow(name, killed=False, limit=100)
            assert self.seen[name] == self.written, name


TestFollowing = Following.TestCase
TestFollowing.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
