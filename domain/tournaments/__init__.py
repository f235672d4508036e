"""Tournaments: schedules, pairings, balance of seats and standings. Pure functions of rules, seed, entries and results."""
