"""The effect of every event on the state."""
