"""The service around the games: store, projections, HTTP API and command line."""
