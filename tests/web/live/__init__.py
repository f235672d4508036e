"""What stands beside the board of a running game, and that it is live: cut, offline, asleep, and by several people at once."""
