"""Functions that read a state or an event and change nothing."""
