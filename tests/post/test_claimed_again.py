"""A place in the outbox that is due again at once: whoever looks in the moment when a word was seen to takes it in hand anew."""

from __future__ import annotations

import threading

import pytest

from service.store.ports.outbox import Told
from tests.post.test_rounds import Notes, play, subscribed, until_quiet
from tests.store.pump import started
from tests.workers.crew import eventually
from workers.post.deliveries import Verdict
from workers.post.rounds import LEASE, Rounds


@pytest.fixture
def looked(store, monkeypatch):
    """Rounds of which somebody looks for more right after each word was settled, before whoever settled it goes on."""
    settle, of = store.outbox.settle, []

    def settled(owed, told, again=None, lease=0):
        done = settle(owed, told, again, lease)
        for rounds in of:
            rounds.look(range(store.partitions))
        return done

    monkeypatch.setattr(store.outbox, "settle", settled)
    return of.append


def test_a_word_that_was_not_taken_and_is_to_be_tried_at_once_is_not_put_off_because_it_was_taken_in_hand_again(
    store, looked
):
    game = started(store, "ann", "bob")
    subscribed(store, "s1", game)
    attempts = []

    def act(owed):
        attempts.append(owed.told.tries)
        if len(attempts) < 3:
            return Verdict(Told(owed.told.seq, len(attempts)), store.schedule.now(), failed=True)
        return None

    notes = Notes(store, act)
    with Rounds(store, {"notes": notes}) as rounds:
        looked(rounds)
        play(store, game)
        until_quiet(store, rounds)

    assert [0, 1, 2] == attempts
    assert 0 == store.outbox.census().owed


def test_what_was_taken_in_hand_again_at_once_is_kept_in_hand_for_as_long_as_it_takes(store, looked, monkeypatch):
    game = started(store, "ann", "bob")
    subscribed(store, "s1", game)
    free, kept, keep = threading.Event(), [], store.outbox.keep

    def act(owed):
        if owed.told.seq > first:
            free.wait(30)

    def keeping(owed, lease):
        done = keep(owed, lease)
        kept.extend(each for each in done if each is not None)
        return done

    monkeypatch.setattr(store.outbox, "keep", keeping)
    first = store.log.head(game)[0]
    notes = Notes(store, act)
    with Rounds(store, {"notes": notes}) as rounds:
        looked(rounds)
        play(store, game, 2)
        try:
            eventually(lambda: rounds.look(range(store.partitions)) < 0 or rounds.seen_to == 2, every=0.01)
            rounds.keep(LEASE)
            assert [("s1", first + 1)] == [(each.subscription, each.told.seq) for each in kept]
        finally:
            free.set()
        until_quiet(store, rounds)

    assert [first + 1, first + 2] == notes.of(game, "s1")
