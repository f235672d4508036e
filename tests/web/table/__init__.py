"""The page of a running game, in a real browser against a real service."""
