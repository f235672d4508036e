"""Helpers of the store that talk to no server."""
