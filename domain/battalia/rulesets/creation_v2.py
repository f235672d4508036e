"""The second ruleset: the first one with the clauses read as the amended pages of docs/rules/battalia.md say."""

from __future__ import annotations

from collections.abc import Mapping

from domain.battalia.rulesets.creation_v1 import CREATION_V1
from domain.battalia.rulesets.rules import amended
from domain.rulings import Ruling

READINGS: Mapping[str, Ruling] = {}
"""What it reads otherwise."""

CREATION_V2 = amended(CREATION_V1, "creation_v2", READINGS)
