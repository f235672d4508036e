"""What is kept of a game, read again at once: bodies of commits and snapshots of positions, straight from their bytes."""
