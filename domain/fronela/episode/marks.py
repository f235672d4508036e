"""Names of the persons and tokens that more than one episode reads."""

from __future__ import annotations

HRESTOL = "hrestol"
SIGLAT = "siglat"
KINGDOM = "kingdom_of_war"
"""The token of the faction that vanishes, and returns."""
