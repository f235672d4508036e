"""Lobbies in Redis: writing, changing and listing them."""
