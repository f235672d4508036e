"""A delivery worker without a process of its own: it claims, delivers and settles what is due, one after the other."""

from __future__ import annotations


def carry(store, delivery):
    """Deliver everything that is due now."""
    while found := store.outbox.claim(range(store.partitions), 64, 5000):
        for owed in found:
            subscription = store.subscriptions.get(owed.subscription)
            if subscription is None:
                store.outbox.settle(owed, None)
                continue
            verdict = delivery.deliver(owed, owed.cursor, subscription)
            store.outbox.settle(owed, verdict.cursor, verdict.retry_at)
