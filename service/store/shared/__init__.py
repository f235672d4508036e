"""Helpers of the store that use no server."""
