"""Whether a game may be set up as somebody asks."""
