"""How a game stands after any of its commits, and what its readers get of it."""
