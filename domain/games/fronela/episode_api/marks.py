"""Names of persons and tokens that several episodes use."""

from __future__ import annotations

HRESTOL = "hrestol"
SIGLAT = "siglat"
KINGDOM = "kingdom_of_war"
"""The token of the faction that disappears and returns."""
