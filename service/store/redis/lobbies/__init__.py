"""Lobbies in Redis: how they are written, changed and listed; and the notes beside their games."""
