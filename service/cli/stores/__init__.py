"""The store for commands that run next to the service, and checks of its games."""
