"""Tools for developers and bot authors: load tests, ladders of bots, and simulations."""
