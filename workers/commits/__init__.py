"""From a game's waiting commands to its commits: order, limits, and timeouts."""
