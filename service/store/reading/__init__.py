"""Fast readers of stored bytes: bodies of commits and snapshots of positions."""
