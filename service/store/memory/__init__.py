"""The store in dicts: the same promises, for tests and tools in one process."""
