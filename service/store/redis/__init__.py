"""The store on one Redis-compatible server."""
