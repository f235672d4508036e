"""Whole games in one process, and what many of them come to."""
