"""The bots of a game, and its help for search bots. All get imagined states only, and everything has a default."""

# ruff: noqa: ARG002 - defaults do not need all arguments

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from domain.kernel.dice import Dice
from domain.kernel.terms import Seat

S = TypeVar("S")

Bot = Callable[[S, Seat, Dice], Mapping[str, Any]]
"""Chooses a command (as JSON with its type) for a seat with a question, from an imagined state and throwaway dice."""

Scored = tuple[float, Mapping[str, Any]]
"""A command as JSON with its type, and its estimated value in the game's own measure; higher is better."""


class Bots(Generic[S]):
    by_name: Mapping[str, Bot[S]] = {}
    """The game's own bots, in addition to the kernel's ``random``."""
    stand_in: str = ""
    """The bot of `by_name` that replaces a player who is gone. Empty: the random bot."""

    # -- search bots (`domain.table.bots.search`) ------------------------------------------------------------------------

    adept: Bot[S] | None = None
    """A bot that is stronger than the game's usual one and as fast. None if there is only the usual bot.

    The higher levels start with its choice and use it in their trials.
    """
    supposed: Callable[[S, Seat, Dice], S] | None = None
    """From an imagined state, another one that the seat cannot distinguish from it. None: `Knowledge.imagine`."""
    fits: Mapping[str, Mapping[str, Any]] = {}
    """Fitted weights by the names of `features`, sorted and separated by spaces.

    ``weights`` adds to the log-odds of winning. ``oraclewheel simulate --fit`` fits them to games that the other keys
    describe. A set of features without a fit is not used.
    """
    outlooks: Mapping[str, Mapping[str, Any]] = {}
    """Fitted values by the phase of the game that `outlook` returns.

    ``weights``: the points that each feature still brings. ``spread``: the number of points that multiplies the odds of
    winning by e. They are fitted in the same way as `fits`.
    """

    def policy(self, state: S, seat: Seat) -> Sequence[Scored]:
        """Candidate commands for a seat with a question, best first; empty if the game has no preference."""
        return ()

    def features(self, state: S, seat: Seat) -> Mapping[str, float]:
        """Features of a seat's position, as numbers of about the size of 1; empty to use `Rules.standings` instead."""
        return {}

    def outlook(self, state: S) -> tuple[str, Mapping[Seat, Mapping[str, float]]] | None:
        """The phase of the game, and features that predict the points each seat still gets; None if not used."""
        return None

    def far_enough(self, start: S, state: S) -> bool:
        """Whether an imagined game that began at ``start`` can stop at this state. By default it runs to the end."""
        return False
