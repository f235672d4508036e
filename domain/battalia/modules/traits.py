"""The traits by which modules and the core know of each other (`Npc.traits`)."""

from __future__ import annotations

BESIEGER = "besieger"
"""Attacks cities by itself (ARM-06)."""
UNBOUND = "unbound"
"""Comes with the Unbound mercenaries: they are in the piles unless the creator says otherwise (SET-07)."""
WEAPONS = "weapons"
"""Builds things in cities that a besieger aims at (ARM-08, ARM-09)."""
