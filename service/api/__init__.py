"""The HTTP API: `application` puts it together, the other rooms stand below it."""
