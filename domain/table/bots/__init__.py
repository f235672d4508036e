"""Bots. They see an imagined state, never the real one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.game import AnyGame
from domain.kernel.game.bots import Bot
from domain.kernel.options import pick
from domain.kernel.terms import Seat
from domain.table.bots import search

RANDOM = "random"

THINKING: Mapping[str, int] = {f"search:{level}": worth for level, worth in search.LEVELS.items()}
"""The search bots, and the number of simulated commands per decision of each."""


_LEARNT = frozenset(("search:2", "search:3"))
"""The levels that use the adept, if the game has one. The first level uses the usual bot, which it is measured against.
"""


def names(game: AnyGame) -> tuple[str, ...]:
    """The bots that answer at once."""
    return (RANDOM, *game.bots.by_name)


def all_names(game: AnyGame) -> tuple[str, ...]:
    """The bots of `names` and the search bots, which run in their own workers."""
    return (*names(game), *THINKING)


def thinks(name: str) -> bool:
    """Whether the bot takes so long that its move is computed beforehand (`domain.kernel.lifecycle.Act.choice`)."""
    return name in THINKING


def stand_in(game: AnyGame) -> str:
    """The bot that replaces a player. Events of old games name it, so it never changes."""
    return game.bots.stand_in or RANDOM


def best(game: AnyGame) -> str:
    """The game's best bot among those that answer at once. It answers for a search bot or a player whose time is up."""
    usual = stand_in(game)
    return next(iter(game.bots.by_name), usual) if usual == RANDOM else usual


def choose(game: AnyGame, name: str, state: Any, seat: Seat, dice: Dice, worth: int | None = None) -> Mapping[str, Any]:
    """The command that the bot chooses for a seat with a question, as JSON with its type.

    ``worth`` is for a search bot: the approximate number of commands to simulate, instead of its level's.
    """
    return _chosen(game, name, game.knowledge.imagine(state, seat, dice), seat, dice, worth)


def _chosen(
    game: AnyGame, name: str, imagined: Any, seat: Seat, dice: Dice, worth: int | None = None
) -> Mapping[str, Any]:
    if name == RANDOM:
        return pick(game.rules.replies(imagined, seat), dice)
    if name not in THINKING:
        return game.bots.by_name[name](imagined, seat, dice)

    def usual(state: Any, asked: Seat, chance: Dice) -> Mapping[str, Any]:
        return _chosen(game, stand_in(game), state, asked, chance)

    adept = game.bots.adept if name in _LEARNT else None
    return search.best(game, adept or usual, imagined, seat, dice, THINKING[name] if worth is None else worth)


def analyst(game: AnyGame) -> Bot[Any]:
    """The bot that plays all seats when a game is analyzed; it sees the full state."""
    name = best(game)

    def usual(state: Any, seat: Seat, dice: Dice) -> Mapping[str, Any]:
        return _chosen(game, name, state, seat, dice)

    return usual
