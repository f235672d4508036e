"""Validates the table settings of a new game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.game import AnyGame
from domain.table import features
from service.core.http.problems import invalid_fields


def checked(game: AnyGame, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every setting of the new table, with defaults. Raises the problem with every wrong setting."""
    if wrong := features.faults(game, asked):
        raise invalid_fields([(f"/table/{name}", f"{what[:1].upper()}{what[1:]}.") for name, what in wrong.items()])
    return features.complete_settings(asked)
