"""The sequence of play: rounds, turns, pending questions, standing orders (FRO-01 to FRO-03)."""
