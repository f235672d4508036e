"""The routes, a file for each resource, and what several of them share (outcomes, trials)."""
