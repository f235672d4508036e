"""The store on one Redis-compatible server or cluster."""
