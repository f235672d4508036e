"""Ladder games at a running service, in which programs of others play."""
