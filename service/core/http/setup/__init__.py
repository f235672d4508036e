"""Validation of a new game: its pace, its table settings, and the position of a sandbox."""
