"""Backups of the store: made from files and from servers, merged, verified and restored."""
