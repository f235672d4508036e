"""The store for commands that work beside the service, and looking at its games one by one."""
