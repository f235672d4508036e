"""Applies events to the state."""
