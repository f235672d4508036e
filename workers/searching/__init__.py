"""The search for moves of bots: its job."""
