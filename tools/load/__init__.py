"""A load test: games that its own bots play over REST, measured, checked command by command, and cleaned up."""
