"""Players that are programs: they see an imagined state, never the real one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.dice import Dice
from domain.game import AnyGame, Bot
from domain.options import pick
from domain.play.bots import search
from domain.terms import Seat

RANDOM = "random"

_STAND_IN = "greedy"
"""Who plays on for a player, where the game has such a bot."""

THINKING: Mapping[str, int] = {f"search:{level}": worth for level, worth in search.LEVELS.items()}
"""The players that search, and how many commands each of them imagines for a decision."""


_LEARNT = frozenset(("search:2", "search:3"))
"""Who goes by the adept, where the game has one; the first level goes by the usual bot, which it is measured against."""


def names(game: AnyGame) -> tuple[str, ...]:
    """The bots that answer at once."""
    return (RANDOM, *game.bots)


def all_names(game: AnyGame) -> tuple[str, ...]:
    """The same, and those that think: at a table elsewhere than where commands are settled, so that nobody else is held up."""
    return (*names(game), *THINKING)


def thinks(name: str) -> bool:
    """Whether the bot takes so long for an answer that it is thought over beforehand (`domain.play.table.Act.choice`)."""
    return name in THINKING


def stand_in(game: AnyGame) -> str:
    """The bot that plays on in place of a player; which it is stands in events of old games, so that it stays what it was."""
    return _STAND_IN if _STAND_IN in game.bots else RANDOM


def best(game: AnyGame) -> str:
    """The best bot of the game among those that answer at once: who answers where one that thinks has not, or a player's time is up."""
    usual = stand_in(game)
    return next(iter(game.bots), usual) if usual == RANDOM else usual


def choose(game: AnyGame, name: str, state: Any, seat: Seat, dice: Dice, worth: int | None = None) -> Mapping[str, Any]:
    """The command that the bot chooses for a seat that is asked, as JSON with its type.

    ``worth`` is for one that thinks: about so many commands it imagines, instead of as many as its level says.
    """
    return _chosen(game, name, game.imagine(state, seat, dice), seat, dice, worth)


def _chosen(
    game: AnyGame, name: str, imagined: Any, seat: Seat, dice: Dice, worth: int | None = None
) -> Mapping[str, Any]:
    if name == RANDOM:
        return pick(game.replies(imagined, seat), dice)
    if name not in THINKING:
        return game.bots[name](imagined, seat, dice)

    def usual(state: Any, asked: Seat, chance: Dice) -> Mapping[str, Any]:
        return _chosen(game, stand_in(game), state, asked, chance)

    adept = game.adept if name in _LEARNT else None
    return search.best(game, adept or usual, imagined, seat, dice, THINKING[name] if worth is None else worth)


def analyst(game: AnyGame) -> Bot[Any]:
    """Who plays on for every seat when a game is analysed; it sees all of the state."""
    name = best(game)

    def usual(state: Any, seat: Seat, dice: Dice) -> Mapping[str, Any]:
        return _chosen(game, name, state, seat, dice)

    return usual
