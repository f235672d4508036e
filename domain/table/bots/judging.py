"""How good a command was, given what its seat could know: paired trials against the best alternatives found.

Uses the search of `domain.table.bots.search`. The played command replaces the usual choice and is tried to the end.
Every other command is compared with it in the worlds that both were tried in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from math import ceil, log2, sqrt
from statistics import fmean, variance
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.game import AnyGame
from domain.kernel.game.bots import Bot
from domain.kernel.shape import build
from domain.kernel.terms import Seat
from domain.table.bots.search import FEWEST, WIDTH, Command, Worlds, other_commands

SHOWN = 5
"""Number of commands to report, best first."""
SURELY = 2.0
"""Standard errors by which another command must lead to count as better."""
LEAST = 0.01
"""The smallest chance worth reporting. Smaller losses are never reported, however certain."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A command, and its results in trials."""

    command: Command
    trials: int
    expected: float
    """The seat's chances at the end of its trials, 0 to 1: those of the played command plus ``ahead``."""
    ahead: float
    """The mean difference from the played command, in the worlds that both were tried in."""
    doubt: float | None
    """The standard error of that difference. None after too few trials."""

    @property
    def surely_ahead(self) -> bool:
        """Whether it was better than the played command by a reportable and significant amount."""
        return self.doubt is not None and self.ahead >= LEAST and self.ahead > SURELY * self.doubt


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict of trials on a decision."""

    played: Tried
    tried: tuple[Tried, ...]
    """The other commands, best first."""

    @property
    def loss(self) -> float:
        """The significant lead of the best other command; 0 if no other is better."""
        return max((each.ahead for each in self.tried if each.surely_ahead), default=0.0)


def judge(game: AnyGame, usual: Bot[Any], state: Any, seat: Seat, played: Command, dice: Dice, worth: int) -> Judgement:
    """Judge a decision with about this many simulated commands. To the seat, ``state`` looks like the real state.

    ``played`` is the command as JSON with its type, and ``usual`` the bot that plays all seats in the trials. Raises
    `RuleViolation` if the rules refuse the command in an imagined state. Rules of another release may do that.
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
    """The usual bot's choice and other candidates, without the played command."""
    known = _same(game, played)
    choice = usual(state, seat, dice)
    found = [] if _same(game, choice) == known else [choice]
    rest = (command for command in other_commands(game, state, seat, choice, dice) if _same(game, command) != known)
    return [*found, *islice(rest, WIDTH - 1 - len(found))]


def _same(game: AnyGame, command: Command) -> tuple[Any, ...]:
    """A key that is equal for equivalent commands: lists in any order, and defaults filled in."""
    built = build(game.rules.commands, command)
    values: Mapping[str, Any] = {field.name: getattr(built, field.name) for field in fields(built)}
    return type(built), tuple(
        tuple(sorted(map(repr, value))) if isinstance(value, list | tuple) else value for value in values.values()
    )


def _told(command: Command, found: Sequence[float], played: Sequence[float]) -> Tried:
    pairs = [mine - theirs for mine, theirs in zip(found, played, strict=False)]
    ahead, enough = fmean(pairs), len(pairs) >= FEWEST
    doubt = sqrt(variance(pairs) / len(pairs)) if enough else None
    return Tried(command, len(found), min(1.0, max(0.0, fmean(played) + ahead)), ahead, doubt)
