"""Taking back: what is granted at once and what is asked about, and that it can be done anywhere in any game."""
