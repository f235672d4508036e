"""Event streams: one reader for each watched game, whose entries are rendered once and sent to all listeners."""
