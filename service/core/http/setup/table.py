"""Validates the table settings of a new game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.game import AnyGame
from domain.table import features
from domain.table.rated import RATED
from service.core.http.problems import invalid_fields


def checked(game: AnyGame, asked: Mapping[str, Any], *, can_be_rated: bool) -> Mapping[str, Any]:
    """Every setting of the new table, with defaults. Raises the problem with every wrong setting.

    ``can_be_rated``: whether the game is public and no sandbox, so that anyone can compute its effect on ratings.
    """
    if wrong := features.faults(game, asked):
        raise invalid_fields([(f"/table/{name}", f"{what[:1].upper()}{what[1:]}.") for name, what in wrong.items()])
    if asked.get(RATED) and not can_be_rated:
        raise invalid_fields([(f"/table/{RATED}", "Only a public game can be rated, and no sandbox.")])
    return features.complete_settings(asked)
