"""How good a command was, as far as its seat could know: trials in pairs against the best others that are seen.

It is the search of `domain.play.bots.search` put to another use. What was played is tried to the end, as there the usual choice is, and
every other command is held against it in the worlds that both have met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from math import ceil, log2, sqrt
from statistics import fmean, variance
from typing import Any

from domain.dice import Dice
from domain.game import AnyGame, Bot
from domain.play.bots.search import FEWEST, WIDTH, Command, Worlds, other_commands
from domain.shape import build
from domain.terms import Seat

SHOWN = 5
"""Commands that are told of, the best first."""
SURELY = 2.0
"""Standard errors by which another command must lead before it is said to have been better."""
LEAST = 0.01
"""Chances that are worth a word: by less nobody is said to have given anything away, however sure it is."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A command, and what it came to in trials."""

    command: Command
    trials: int
    expected: float
    """The seat's chances where its trials ended, 0 to 1, told as those of what was played and ``ahead``."""
    ahead: float
    """The mean difference to what was played, in the worlds that both have met."""
    doubt: float | None
    """The standard error of that difference; None where there were too few trials to tell."""

    @property
    def surely_ahead(self) -> bool:
        """Whether it was better than what was played, by enough for a word and by more than chance would explain."""
        return self.doubt is not None and self.ahead >= LEAST and self.ahead > SURELY * self.doubt


@dataclass(frozen=True, slots=True)
class Judgement:
    """What trials say of a decision."""

    played: Tried
    tried: tuple[Tried, ...]
    """The other commands, the best first."""

    @property
    def loss(self) -> float:
        """By how much the best of the others is surely ahead; 0 where none is."""
        return max((each.ahead for each in self.tried if each.surely_ahead), default=0.0)


def judge(game: AnyGame, usual: Bot[Any], state: Any, seat: Seat, played: Command, dice: Dice, worth: int) -> Judgement:
    """What about so many imagined commands say of a decision; ``state`` is one that the seat cannot tell from the real one.

    ``played`` is the command as JSON with its type, and ``usual`` the bot that plays on for everybody in the trials.
    Raises `RuleViolation` where the rules refuse the command in an imagined state, as those of another release may.
    """
    choices = [played, *_rivals(game, usual, state, seat, played, dice)]
    worlds = Worlds(game, usual, state, seat, dice)
    found: list[list[float]] = [[] for _ in choices]
    alive = list(range(len(choices)))
    rounds = max(1, ceil(log2(len(choices))))
    for turn in range(1, rounds + 1):
        fewest = FEWEST if turn == rounds else 1
        while worlds.imagined * rounds < turn * worth or len(found[alive[-1]]) < fewest:
            for number in alive:
                found[number].append(worlds.trial(choices[number], len(found[number])))
        order = sorted(alive[1:], key=lambda number: fmean(found[number]), reverse=True)
        alive = [0, *order[: max(1, len(alive) // 2 - 1)]]
    tried = [_told(choices[number], found[number], found[0]) for number in range(len(choices))]
    order = sorted(range(1, len(choices)), key=lambda number: (len(found[number]), tried[number].ahead), reverse=True)
    return Judgement(tried[0], tuple(tried[number] for number in order[:SHOWN]))


def _rivals(game: AnyGame, usual: Bot[Any], state: Any, seat: Seat, played: Command, dice: Dice) -> Sequence[Command]:
    """The usual bot's choice and what else may be worth a trial, without what was played."""
    known = _same(game, played)
    choice = usual(state, seat, dice)
    found = [] if _same(game, choice) == known else [choice]
    rest = (command for command in other_commands(game, state, seat, choice, dice) if _same(game, command) != known)
    return [*found, *islice(rest, WIDTH - 1 - len(found))]


def _same(game: AnyGame, command: Command) -> tuple[Any, ...]:
    """What is equal for two commands that say the same: lists stand in any order, and what is left out has its default."""
    built = build(game.commands, command)
    values: Mapping[str, Any] = {field.name: getattr(built, field.name) for field in fields(built)}
    return type(built), tuple(
        tuple(sorted(map(repr, value))) if isinstance(value, list | tuple) else value for value in values.values()
    )


def _told(command: Command, found: Sequence[float], played: Sequence[float]) -> Tried:
    pairs = [mine - theirs for mine, theirs in zip(found, played, strict=False)]
    ahead, enough = fmean(pairs), len(pairs) >= FEWEST
    doubt = sqrt(variance(pairs) / len(pairs)) if enough else None
    return Tried(command, len(found), min(1.0, max(0.0, fmean(played) + ahead)), ahead, doubt)
