"""Play in a terminal: API client, prompts, and the board as text."""
