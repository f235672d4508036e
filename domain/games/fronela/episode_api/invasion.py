"""Invasion turns: two movement and combat sequences in one turn (FRO-D48)."""

from __future__ import annotations

SEQUENCE = ("move", "combat")


def twice(items: tuple[str, ...]) -> tuple[str, ...]:
    """The agenda with a second sequence after the first."""
    after = items.index(SEQUENCE[-1]) + 1
    return (*items[:after], *SEQUENCE, *items[after:])
