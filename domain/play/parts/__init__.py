"""Features of a table around its game. Each part has its own commands, events, memory and questions."""
