"""Accounts of players."""
