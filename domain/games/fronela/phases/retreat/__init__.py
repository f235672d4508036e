"""Leaving a battle: before the first roll, after a round, or by force (FRO-11, FRO-16 to FRO-18)."""
