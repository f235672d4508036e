"""The browser client, in a real browser with a normal service."""
