"""Chances of winning, and how much of a change was luck; for finished games, with all information."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance
from typing import Any

from domain.kernel.dice import Aside, Dice
from domain.kernel.game import AnyGame
from domain.kernel.game.bots import Bot, Bots
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM, Outcome, Seat
from domain.table.bots.search import LONGEST, after, share, value

PLAYED_OUT = 8
"""Number of playouts from a state in a game without a fitted value."""

Chances = tuple[float, ...]
"""Chances by seat, from 0 to 1. All sides add up to 1 if any side has a chance."""


def is_fitted(bots: Bots[Any], state: Any, seat: Seat) -> bool:
    """Whether the game has a value that was fitted to games for these features of a position."""
    return bool(bots.fits) and " ".join(sorted(bots.features(state, seat))) in bots.fits


def chances(game: AnyGame, usual: Bot[Any], state: Any, seats: Sequence[Seat], dice: Dice) -> Chances:
    """The chances of every seat in the state, with all hidden information.

    By the outcome, if there is one; by the fitted value; or by playouts with the usual bot in every seat.
    """
    outcome = game.rules.outcome(state)
    if outcome is not None:
        return by_outcome(game, state, seats, outcome)
    if is_fitted(game.bots, state, seats[0]):
        return _of_one(game, state, seats, [value(game, state, seat) for seat in seats])
    ends = [_played_out(game, usual, state, Aside(_seed(dice))) for _ in range(PLAYED_OUT)]
    return _of_one(game, state, seats, [fmean(value(game, end, seat) for end in ends) for seat in seats])


def by_outcome(game: AnyGame, state: Any, seats: Sequence[Seat], outcome: Outcome) -> Chances:
    """Each seat's share of the win. Allies each have all of it, so that a side of two counts once."""
    return _of_one(game, state, seats, [share(game, state, seat, outcome.winners) for seat in seats])


def luck(
    game: AnyGame, usual: Bot[Any], before: Any, seat: Seat, command: Any, came: Chances, dice: Dice, times: int
) -> tuple[Chances, Chances]:
    """The difference between each seat's actual result and the expected one, and its standard error.

    ``came`` are the chances after the actual result of the command. The same command is decided at the same state with
    other dice ``times`` times; luck is the actual result minus their mean. Raises `RuleViolation` if the rules refuse
    the command.
    """
    seats = [Seat(number) for number in range(1, len(came) + 1)]
    found = [
        chances(game, usual, after(game, before, seat, command, Aside(_seed(dice))), seats, Aside(_seed(dice)))
        for _ in range(times)
    ]
    means = [fmean(each) for each in zip(*found, strict=True)]
    doubts = [sqrt(variance(each) / times) for each in zip(*found, strict=True)]
    return tuple(real - mean for real, mean in zip(came, means, strict=True)), tuple(doubts)


def _seed(dice: Dice) -> bytes:
    return bytes(dice.below(256) for _ in range(16))


def _of_one(game: AnyGame, state: Any, seats: Sequence[Seat], values: Sequence[float]) -> Chances:
    """The values scaled so that all sides add up to 1."""
    whole = sum(each / (1 + len(game.rules.allies(state, seat))) for seat, each in zip(seats, values, strict=True))
    return tuple(each / whole if whole else 0.0 for each in values)


def _played_out(game: AnyGame, usual: Bot[Any], state: Any, dice: Dice) -> Any:
    for _ in range(LONGEST):
        asked = game.rules.awaiting(state)
        if not asked or game.rules.outcome(state) is not None:
            break
        seat = asked[0].seat
        said = (
            game.rules.default(state, SYSTEM, dice)
            if seat == SYSTEM
            else build(game.rules.commands, usual(state, seat, dice))
        )
        state = after(game, state, seat, said, dice)
    return state
