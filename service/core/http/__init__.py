"""The HTTP API: routes, schemas, authentication, streams, limits and problems."""
