"""What a table can do besides playing its game: each part with its commands, events, memory and questions."""
