"""Names of persons and tokens by which one episode knows what another has put on the map."""

from __future__ import annotations

HRESTOL = "hrestol"
SIGLAT = "siglat"
KINGDOM = "kingdom_of_war"
"""The token of the faction that vanishes, and returns."""
