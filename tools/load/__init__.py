"""A load test: games that bots of its own play over REST, measured, checked command by command, and cleared away."""
