"""Undo: what is granted at once, what other players are asked about, and that it works at any point of any game."""
