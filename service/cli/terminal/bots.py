"""Bots of the terminal. They know only the Options."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.options import pick
from domain.kernel.terms import Option

Command = dict[str, Any]


class RandomBot:
    """Chooses an Option uniformly, then each of its parameters."""

    def __init__(self, seed: bytes | None = None) -> None:
        self.dice = Dice(seed or secrets.token_bytes(32))

    def choose(self, options: Sequence[Option]) -> Command:
        return pick(options, self.dice)


class GreedyBot(RandomBot):
    """Prefers acting to passing, and variety to repetition.

    It chooses a kind of command uniformly, so that a kind with many variants does not dominate. Commands without
    parameters, which mostly end or give up something, are chosen one time in ten, or if there is nothing else.
    """

    def choose(self, options: Sequence[Option]) -> Command:
        plain = [option for option in options if not option.fixed and not option.open]
        rich = [option for option in options if option not in plain]
        among = plain if plain and (not rich or self.dice.below(10) == 0) else rich
        kind = self.dice.choose(sorted({option.type for option in among}))
        return pick([option for option in among if option.type == kind], self.dice)


BOTS: Mapping[str, type[RandomBot]] = {"random": RandomBot, "greedy": GreedyBot}
