"""Private keys in files: of the signatures on games, and of push notifications."""
