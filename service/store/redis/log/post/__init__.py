"""The outbox in Redis, and the subscriptions that it is for."""
