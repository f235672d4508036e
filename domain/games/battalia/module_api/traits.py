"""The traits by which modules and the core refer to each other (`Npc.traits`)."""

from __future__ import annotations

BESIEGER = "besieger"
"""Attacks cities by itself (ARM-06)."""
WEAPONS = "weapons"
"""Has buildings in cities that a besieger attacks (ARM-08, ARM-09)."""
