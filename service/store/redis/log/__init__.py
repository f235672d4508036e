"""The log of every game in Redis."""
