"""What an episode is written in: the socket, and the decision that its hooks are handed."""
