"""Players that are programs: they see an imagined state, never the real one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.dice import Dice
from domain.game import AnyGame
from domain.options import pick
from domain.terms import Seat

RANDOM = "random"

_STAND_IN = "greedy"
"""Who plays on for a player, where the game has such a bot."""


def names(game: AnyGame) -> tuple[str, ...]:
    """The bots that can sit at a table of this game."""
    return (RANDOM, *game.bots)


def stand_in(game: AnyGame) -> str:
    """The bot that plays on in place of a player."""
    return _STAND_IN if _STAND_IN in game.bots else RANDOM


def choose(game: AnyGame, name: str, state: Any, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    """The command that the bot chooses for a seat that is asked, as JSON with its type."""
    imagined = game.imagine(state, seat, dice)
    if name == RANDOM:
        return pick(game.replies(imagined, seat), dice)
    return game.bots[name](imagined, seat, dice)
