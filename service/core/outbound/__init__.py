"""HTTP requests to untrusted servers: allowed addresses, lookups and connections with time limits, retries."""
