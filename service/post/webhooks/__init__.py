"""Webhooks: where they may go, how they are signed, what they look like, and the one request that delivers a word."""
