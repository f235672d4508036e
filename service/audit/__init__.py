"""Exports of games, and the auditor that checks a full game from its export: offline, without the server that ran it (docs/audit.md)."""
