"""All released scenarios, the default one first."""

from __future__ import annotations

from domain.games.fronela.scenarios import fronela_v1, fronela_v2, fronela_v3
from domain.games.fronela.scenarios.tables import Scenario, load

SCENARIOS: dict[str, Scenario] = {module.KEY: load(module) for module in (fronela_v3, fronela_v2, fronela_v1)}
