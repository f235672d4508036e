"""Frozen releases of the rules: made, loaded, audited by, played on."""
