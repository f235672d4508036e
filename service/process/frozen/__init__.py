"""Frozen releases of the rules: what `domain/` was in each, loaded under a name of its own beside the present one."""
