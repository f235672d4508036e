"""The position of a game after any commit, and the views of it."""
