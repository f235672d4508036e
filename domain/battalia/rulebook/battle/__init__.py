"""Battles, and what becomes of those who lose them (BAT)."""
