"""The client for browsers, in a real one, before a service that runs as it does for everybody."""
