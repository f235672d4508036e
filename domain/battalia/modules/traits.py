"""The traits by which modules and the core know of each other (`Npc.traits`)."""

from __future__ import annotations

BESIEGER = "besieger"
"""Attacks cities by itself (ARM-06)."""
WEAPONS = "weapons"
"""Builds things in cities that a besieger aims at (ARM-08, ARM-09)."""
