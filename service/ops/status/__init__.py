"""The status of a service: games, queues, workers, servers."""
