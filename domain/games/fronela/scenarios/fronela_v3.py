"""The third scenario: the numbers of the second, and the readings of the amended docs/rules/fronela.md."""

from __future__ import annotations

from collections.abc import Mapping

from domain.games.fronela.scenarios import fronela_v2 as before
from domain.kernel.rulings import Ruling

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
    "growth_declined": Ruling("by-everybody", "FRO-D54", "L"),
    "battle_joined": Ruling("while-both-stand", "FRO-D06", "P"),
    "battle_asked": Ruling("of-those-that-stand", "FRO-10", "P"),
    "orders_in_silence": Ruling("all", "FRO-D55", "P"),
    "auto_and_done": Ruling("everywhere", "FRO-D57", "P"),
    "only_answer": Ruling("taken", "FRO-D58", "P"),
    "unit_names": Ruling("kinds", "FRO-D56", "P"),
    "telling": Ruling("full", "FRO-D60", "P"),
}
