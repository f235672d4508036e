"""Votes of the players at a table: what can be voted on, how a vote stands, and what comes of it."""
