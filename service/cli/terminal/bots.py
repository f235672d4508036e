"""Bots of the terminal: they know nothing but the Options that they are given."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from domain.dice import Dice
from domain.options import pick
from domain.terms import Option

Command = dict[str, Any]


class RandomBot:
    """An Option uniformly, then each of its parameters."""

    def __init__(self, seed: bytes | None = None) -> None:
        self.dice = Dice(seed or secrets.token_bytes(32))

    def choose(self, options: Sequence[Option]) -> Command:
        return pick(options, self.dice)


class GreedyBot(RandomBot):
    """Would rather do something than nothing, and rather something else than the same again.

    A kind of command uniformly, so that the many ways to do one thing do not drown the others; those that take no
    parameter (they mostly end or give up something) come one time in ten, or when there is nothing else.
    """

    def choose(self, options: Sequence[Option]) -> Command:
        plain = [option for option in options if not option.fixed and not option.open]
        rich = [option for option in options if option not in plain]
        among = plain if plain and (not rich or self.dice.below(10) == 0) else rich
        kind = self.dice.choose(sorted({option.type for option in among}))
        return pick([option for option in among if option.type == kind], self.dice)


BOTS: Mapping[str, type[RandomBot]] = {"random": RandomBot, "greedy": GreedyBot}
