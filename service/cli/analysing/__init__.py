"""Analysing games in files: reading them, looking at their moments by many processes, and telling what was found."""
