"""Telling subscriptions what they are owed: the outbox is drained here, and each kind of delivery has its place."""
