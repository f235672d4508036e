"""Data in Redis outside the games' logs: semaphores, notes, and the log of heads."""
