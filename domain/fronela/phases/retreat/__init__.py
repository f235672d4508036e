"""Leaving a battle: before the first roll, after a round, or because one must (FRO-11, FRO-16 to FRO-18)."""
