"""What every event makes of the state."""
