"""Followers: what features do after a commit, from the changes of games, each at its own place in them."""
