"""A table in a terminal: the client, the questions, the board as text."""
