"""All released rulesets: the default one first, the others for games that began with them."""

from __future__ import annotations

from domain.games.battalia.rulesets.creation_v1 import CREATION_V1
from domain.games.battalia.rulesets.creation_v2 import CREATION_V2
from domain.games.battalia.rulesets.rules import BattaliaNumbers

RULESETS: dict[str, BattaliaNumbers] = {rules.key: rules for rules in (CREATION_V2, CREATION_V1)}
