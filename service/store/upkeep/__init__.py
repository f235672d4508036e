"""Looking a Redis store through and setting it right: for operators, never for a request."""
