"""What is kept in Redis beside the games: places, notes, and the log of heads."""
