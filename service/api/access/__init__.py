"""Who asks, what they may see and do, and the reading of history with those rights."""
