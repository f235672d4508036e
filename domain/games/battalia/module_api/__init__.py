"""Building blocks of modules: the socket, its settings, and the decision that hooks get."""
