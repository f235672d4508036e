"""Checks of a store for operators: games, archive, transparency log, servers."""
