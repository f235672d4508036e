"""The sequence of play: rounds, turns, the questions that stand, standing orders (FRO-01 to FRO-03)."""
