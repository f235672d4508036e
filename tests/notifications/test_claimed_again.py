"""An outbox entry that is due again at once can be claimed again in the moment when it is settled."""

from __future__ import annotations

import threading

import pytest

from service.core.notifications.deliveries import DeliveryResult
from service.features.notifications.dispatcher import LEASE, Dispatcher
from service.store.ports.outbox import DeliveryCursor
from tests.notifications.test_dispatcher import Notes, play, subscribed, until_quiet
from tests.store.pump import started
from tests.workers.crew import eventually


@pytest.fixture
def looked(store, monkeypatch):
    """Make the rounds claim more work right after each settled event, before the settling thread continues."""
    settle, of = store.outbox.settle, []

    def settled(owed, told, again=None, lease=0):
        done = settle(owed, told, again, lease)
        for rounds in of:
            rounds.claim(range(store.partitions))
        return done

    monkeypatch.setattr(store.outbox, "settle", settled)
    return of.append


def test_retry_that_is_claimed_again_at_once_is_not_postponed(store, looked):
    game = started(store, "ann", "bob")
    subscribed(store, "s1", game)
    attempts = []

    def act(owed):
        attempts.append(owed.cursor.tries)
        if len(attempts) < 3:
            return DeliveryResult(DeliveryCursor(owed.cursor.seq, len(attempts)), store.schedule.now(), failed=True)
        return None

    notes = Notes(store, act)
    with Dispatcher(store, {"notes": notes}) as rounds:
        looked(rounds)
        play(store, game)
        until_quiet(store, rounds)

    assert [0, 1, 2] == attempts
    assert 0 == store.outbox.census().pending


def test_entry_claimed_again_at_once_keeps_its_lease_renewed(store, looked, monkeypatch):
    game = started(store, "ann", "bob")
    subscribed(store, "s1", game)
    free, kept, keep = threading.Event(), [], store.outbox.keep

    def act(owed):
        if owed.cursor.seq > first:
            free.wait(30)

    def keeping(owed, lease):
        done = keep(owed, lease)
        kept.extend(each for each in done if each is not None)
        return done

    monkeypatch.setattr(store.outbox, "keep", keeping)
    first = store.log.head(game)[0]
    notes = Notes(store, act)
    with Dispatcher(store, {"notes": notes}) as rounds:
        looked(rounds)
        play(store, game, 2)
        try:
            eventually(lambda: rounds.claim(range(store.partitions)) < 0 or rounds.delivered == 2, every=0.01)
            rounds.extend_leases(LEASE)
            assert [("s1", first + 1)] == [(each.subscription, each.cursor.seq) for each in kept]
        finally:
            free.set()
        until_quiet(store, rounds)

    assert [first + 1, first + 2] == notes.of(game, "s1")
