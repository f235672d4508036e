"""Whole games in one process, and statistics of many games."""
