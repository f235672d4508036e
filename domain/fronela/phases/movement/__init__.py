"""The move phase: steps, whole moves, and what units are called while they are about."""
