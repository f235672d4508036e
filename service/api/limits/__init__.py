"""Limits: requests a minute, open streams, and whose turn it is for what costs much."""
