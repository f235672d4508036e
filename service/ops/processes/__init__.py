"""Processes of one host: they end with their parent and are restarted, and their limits and threads."""
