"""Votes of the players at a table: subjects, open votes, and results."""
