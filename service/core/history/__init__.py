"""A game's history, filtered for each reader."""
