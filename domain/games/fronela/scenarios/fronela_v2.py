"""The second scenario: the first with changed numbers [P], with which four equal players win equally often.

docs/decisions/0004-fronela-tables.md explains the changes.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from domain.games.fronela.scenarios import fronela_v1 as before

KEY = "fronela_v2"
READINGS = before.READINGS
AREAS = before.AREAS
KINDS = before.KINDS
KILLS = before.KILLS
ROUNDS = before.ROUNDS

NATIONS: dict[str, dict[str, Any]] = deepcopy(before.NATIONS)
NATIONS["mammoth_people"]["points"] |= {"zoria": 1, "upriver": 1}
NATIONS["bear_people"]["points"] |= {"zoria": 1, "dona_vale": 1}

EPISODES: dict[str, dict[str, Any]] = deepcopy(before.EPISODES)
EPISODES["harrek"]["points"] = 5
EPISODES["middle_sea"]["most"] = 6

_UNITS: dict[tuple[int, str], dict[str, int]] = {
    (2, "grey_malkioni"): {"farmer": 2, "soldier": 3, "lord": 1, "wizard": 1},
    (2, "azure_malkioni"): {"farmer": 2, "soldier": 3, "lord": 1, "wizard": 1},
    (4, "wolverine_people"): {"unit": 3},
    (5, "grey_barbarians"): {"unit": 6},
    (6, "black_malkioni"): {"soldier": 1, "lord": 1},
    (7, "brown_barbarians"): {},
    (11, "brown_barbarians"): {"unit": 5},
    (12, "black_barbarians"): {"unit": 6},
    (14, "azure_barbarians"): {"unit": 3},
    (15, "grey_barbarians"): {"unit": 6},
}
"""Arrivals with other units; an empty one is omitted."""
_MORE: dict[int, list[dict[str, Any]]] = {
    13: [
        {
            "nation": "grey_malkioni",
            "units": {"soldier": 3, "lord": 1, "farmer": 2},
            "where": ["@", "arnstor", "perfe", "junora", "zoria"],
        }
    ],
}
"""Additional arrivals."""
ARRIVALS: dict[int, list[dict[str, Any]]] = {
    number: [
        *({**row, "units": units} for row in rows if (units := _UNITS.get((number, row["nation"]), row["units"]))),
        *_MORE.get(number, []),
    ]
    for number, rows in before.ARRIVALS.items()
}
