"""Battles and their results (BAT)."""
