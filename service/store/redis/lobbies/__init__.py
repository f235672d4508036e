"""Lobbies in Redis: how they are written, changed and listed."""
