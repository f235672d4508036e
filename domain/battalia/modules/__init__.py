"""What a module is written in: the socket, its settings, the decision that its hooks are handed."""
