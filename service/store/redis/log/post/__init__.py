"""The outbox in Redis, and its subscriptions."""
