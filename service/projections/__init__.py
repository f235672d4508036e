"""Games as they are read: positions folded from the log, and the ready bytes that readers get."""
