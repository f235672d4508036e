"""The interface for episodes: the socket, the queries that they adjust, and the decision passed to their hooks."""
