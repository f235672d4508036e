"""Event streams: one reader for each game that is watched, whose entries are told once and handed to all who listen."""
