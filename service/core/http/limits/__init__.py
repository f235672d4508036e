"""Limits: requests a minute, open streams, and fair queues for costly work."""
