"""Players that are programs: they see an imagined state, never the real one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.dice import Dice
from domain.game import AnyGame
from domain.options import pick
from domain.play.bots import search
from domain.terms import Seat

RANDOM = "random"

_STAND_IN = "greedy"
"""Who plays on for a player, where the game has such a bot."""

THINKING: Mapping[str, int] = {f"search:{level}": worth for level, worth in search.LEVELS.items()}
"""The players that search, and how many commands each of them imagines for a decision."""


def names(game: AnyGame) -> tuple[str, ...]:
    """The bots that can sit at a table of this game."""
    return (RANDOM, *game.bots)


def all_names(game: AnyGame) -> tuple[str, ...]:
    """The same, and those that think for so long that they play in process only: at a table they would hold up others."""
    return (*names(game), *THINKING)


def stand_in(game: AnyGame) -> str:
    """The bot that plays on in place of a player."""
    return _STAND_IN if _STAND_IN in game.bots else RANDOM


def choose(game: AnyGame, name: str, state: Any, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    """The command that the bot chooses for a seat that is asked, as JSON with its type."""
    return _chosen(game, name, game.imagine(state, seat, dice), seat, dice)


def _chosen(game: AnyGame, name: str, imagined: Any, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    if name == RANDOM:
        return pick(game.replies(imagined, seat), dice)
    if name not in THINKING:
        return game.bots[name](imagined, seat, dice)

    def usual(state: Any, asked: Seat, chance: Dice) -> Mapping[str, Any]:
        return _chosen(game, stand_in(game), state, asked, chance)

    return search.best(game, usual, imagined, seat, dice, THINKING[name])
