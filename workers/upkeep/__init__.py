"""Maintenance: abandoned lobbies, expired sandboxes, and refused commands of SYSTEM."""
