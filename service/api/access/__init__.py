"""Who asks, what they may see and do, and what they read with those rights: history, outcomes, trials."""
