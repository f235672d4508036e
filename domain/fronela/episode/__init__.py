"""What an episode is written in: the socket, the queries that it adjusts, and the decision that its hooks are handed."""
