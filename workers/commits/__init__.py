"""From what waits in a game to its commits: in which order, how far, and each within its time."""
