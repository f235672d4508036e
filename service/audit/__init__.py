"""Checking a whole game from its export alone: offline, without the server that ran it (docs/audit.md)."""
