"""The HTTP API: `application` assembles it from the other packages."""
