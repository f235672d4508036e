"""The move phase: steps, complete moves, and the names of units during a turn."""
