"""What requests share: the store, what the process remembers of it, and the threads and processes for heavy work."""
