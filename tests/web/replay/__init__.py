"""The replay of games, finished and under way, in a real browser against a real service."""
