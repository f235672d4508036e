"""Checks of what a new game's creator asks for: its pace, and the position of a sandbox."""
