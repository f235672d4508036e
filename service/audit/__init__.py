"""Checks a full game from its export: offline, without the server that ran it (docs/audit.md)."""
