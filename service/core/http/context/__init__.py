"""State shared by requests: the store, the process's caches, and the threads and processes for heavy work."""
