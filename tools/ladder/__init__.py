"""Games of a ladder at a running service, in which programs of others play."""
