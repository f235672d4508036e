"""The third scenario: the numbers of the second, with the clauses read as the amended page of docs/rules/fronela.md says."""

from __future__ import annotations

from collections.abc import Mapping

from domain.fronela.scenarios import fronela_v2 as before
from domain.rulings import Ruling

KEY = "fronela_v3"
AREAS = before.AREAS
KINDS = before.KINDS
KILLS = before.KILLS
ROUNDS = before.ROUNDS
NATIONS = before.NATIONS
EPISODES = before.EPISODES
ARRIVALS = before.ARRIVALS
READINGS: Mapping[str, Ruling] = {
    **before.READINGS,
    "unit_names": Ruling("kinds", "FRO-D56", "P"),
}
