"""The worker of words, one after the other: what is due is claimed, delivered and settled, without a process of its own."""

from __future__ import annotations


def carry(store, delivery):
    """See to all that is due by now."""
    while found := store.outbox.claim(range(store.partitions), 64, 5000):
        for owed in found:
            subscription = store.subscriptions.get(owed.subscription)
            if subscription is None:
                store.outbox.settle(owed, None)
                continue
            verdict = delivery.deliver(owed, owed.told, subscription)
            store.outbox.settle(owed, verdict.told, verdict.again)
