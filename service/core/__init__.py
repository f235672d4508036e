"""What it takes to play a game over HTTP: positions, histories, lobbies, queues, and the HTTP interface."""
