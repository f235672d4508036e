"""When questions are due: the clock and the calendar of a game."""
