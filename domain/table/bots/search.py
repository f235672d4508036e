"""A bot for every game. It tries its best commands on imagined states, plays on from each, and compares the results.

It compares paired trials: in its n-th trial every command meets the same imagined state and the same dice, so most of
the luck cancels out. After each round the better half continues (sequential halving). The choice of the game's usual
bot is tried to the end, and wins unless another command leads it by one standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import cbrt, exp, sqrt
from statistics import fmean, variance
from typing import Any

from domain.kernel.dice import Aside, Dice
from domain.kernel.game import AnyGame
from domain.kernel.game.bots import Bot
from domain.kernel.options import commands, pick
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM, Seat
from domain.kernel.unfold import Unfolded

LEVELS: Mapping[int, int] = {1: 500, 2: 2500, 3: 10_000}
"""Simulated commands per decision, by level. Counted and not timed, so that the same dice give the same result."""
WIDTH = 6
"""Number of commands compared at the first level. Grows as the cube root of the budget; the rest goes into more trials.
"""
ROUNDS = 3
"""Number of rounds. After each round the better half of the commands continues."""
LONGEST = 300
"""Maximum number of commands in a trial."""
FEWEST = 6
"""Minimum number of trial pairs for a comparison."""
GLANCES = 3
"""Number of trials after which a command with the same results as another is dropped."""
TAKEN, GIVEN_UP, SETTLED = 1.0, 1.5, 3.0
"""Thresholds in standard errors.

A command that leads the usual choice by the first is chosen in the end. One that is behind by the second is dropped. If
the last one leads by the third, the search stops.
"""
_LISTED = 400
"""Maximum number of commands of an Option to consider if the game has no policy."""
_SEED = 16
_SURE = 30.0
"""Log-odds are limited to this value."""

Command = Mapping[str, Any]


def best(game: AnyGame, usual: Bot[Any], state: Any, seat: Seat, dice: Dice, worth: int) -> Command:
    """The command, as JSON with its type, that trials with about this budget favor; ``state`` is an imagined one.

    ``usual`` is the bot that plays all seats in the trials, and whose own choice is to be beaten.
    """
    choice = usual(state, seat, dice)
    others = other_commands(game, state, seat, choice, dice)
    worlds = Worlds(game, usual, state, seat, dice)
    own, *rivals = _told_apart(worlds, choice, others, worth)
    for turn in range(1, ROUNDS + 1):
        while rivals and worlds.imagined * ROUNDS < turn * worth:
            for each in (own, *rivals):
                worlds.go_on(each)
            rivals = [each for each in rivals if not _leads(own, each, GIVEN_UP)]
            if len(rivals) == 1 and _leads(rivals[0], own, SETTLED):
                return rivals[0].command
        rivals.sort(key=lambda each: fmean(each.came_to), reverse=True)
        rivals = rivals[: max(1, (len(rivals) - 1) // 2)]
    return rivals[0].command if rivals and _leads(rivals[0], own, TAKEN) else choice


@dataclass(slots=True)
class _Tried:
    """A command, and its result in each trial."""

    command: Command
    came_to: list[float] = field(default_factory=list)


def _told_apart(worlds: Worlds, choice: Command, others: Iterator[Command], worth: int) -> list[_Tried]:
    """The usual choice and the first other commands with different results, tried a few times each.

    Many commands make no difference: the order of two actions, the shape of a road.
    """
    tried = [_Tried(choice)]
    width = max(WIDTH, round(WIDTH * cbrt(worth / LEVELS[1])))
    for command in others:
        each = _Tried(command)
        for one in (each, *tried[:1]):
            while len(one.came_to) < GLANCES:
                worlds.go_on(one)
        if not any(_alike(each, one) for one in tried):
            tried.append(each)
        if len(tried) >= width or worlds.imagined * ROUNDS >= worth:
            break
    return tried


def _alike(one: _Tried, other: _Tried) -> bool:
    """Whether their results were equal each time. Results that are only wins and losses are too coarse to show that."""
    return one.came_to == other.came_to and any(0 < chances < 1 for chances in one.came_to)


def _leads(one: _Tried, other: _Tried, errors: float) -> bool:
    """Whether one is better in paired trials by more than this many standard errors."""
    pairs = [mine - theirs for mine, theirs in zip(one.came_to, other.came_to, strict=False)]
    return len(pairs) >= FEWEST and fmean(pairs) > errors * sqrt(variance(pairs) / len(pairs))


def other_commands(game: AnyGame, state: Any, seat: Seat, choice: Command, dice: Dice) -> Iterator[Command]:
    """Other commands worth a trial, each once: the best by the game's policy, or a sample of all."""
    seen = [_plain(choice)]
    for command in _considered(game, state, seat, dice):
        if (plain := _plain(command)) not in seen:
            seen.append(plain)
            yield command


def _considered(game: AnyGame, state: Any, seat: Seat, dice: Dice) -> Iterable[Command]:
    scored = game.bots.policy(state, seat)
    if scored:
        return [command for _, command in scored]
    options = game.rules.replies(state, seat)
    listed = list(islice((command for option in options for command in commands(option)), _LISTED))
    if len(listed) < _LISTED:
        return dice.shuffle(listed)
    return (pick(options, dice) for _ in range(4 * WIDTH))


def _plain(command: Command) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in command.items()}


class Worlds:
    """The imagined states and dice of the trials of one decision, each made once."""

    def __init__(self, game: AnyGame, usual: Bot[Any], state: Any, seat: Seat, dice: Dice) -> None:
        self._game, self._usual, self._state, self._seat = game, usual, state, seat
        self._seed = bytes(dice.below(256) for _ in range(_SEED))
        self._made: list[Any] = []
        self.imagined = 0
        """Commands simulated in all trials."""

    def go_on(self, tried: _Tried) -> None:
        """Add one more trial of a command, in the next world that it was not tried in."""
        tried.came_to.append(self.trial(tried.command, len(tried.came_to)))

    def trial(self, command: Command, number: int) -> float:
        """The result of the command in the world of this number: the seat's chances at the end of the trial."""
        game, seat = self._game, self._seat
        supposed = game.bots.supposed or game.knowledge.imagine
        while len(self._made) <= number:
            aside = Aside(self._seed + b"state %d" % len(self._made))
            self._made.append(supposed(self._state, seat, aside))
        chance = Aside(self._seed + b"dice %d" % number)
        start = self._made[number]
        state = after(game, start, seat, build(game.rules.commands, command), chance)
        self.imagined += 1
        for _ in range(LONGEST):
            asked = game.rules.awaiting(state)
            if not asked or game.bots.far_enough(start, state):
                break
            who = asked[0].seat
            said = game.rules.default(state, SYSTEM, chance) if who == SYSTEM else self._said(state, who, chance)
            state = after(game, state, who, said, chance)
            self.imagined += 1
        return value(game, state, seat)

    def _said(self, state: Any, seat: Seat, chance: Dice) -> Any:
        return build(self._game.rules.commands, self._usual(state, seat, chance))


def after(game: AnyGame, state: Any, seat: Seat, command: Any, dice: Dice) -> Any:
    """The state after the command. Events that deciding has already applied are not applied again."""
    decided = game.rules.decide(state, seat, command, dice)
    if isinstance(decided, Unfolded):
        return decided.state
    for event in decided:
        state = game.rules.evolve(state, event)
    return state


def value(game: AnyGame, state: Any, seat: Seat) -> float:
    """The seat's chances, from 0 to 1: by the outcome, by the fit of the game's `features`, or by the public score."""
    outcome = game.rules.outcome(state)
    if outcome is not None:
        return share(game, state, seat, outcome.winners)
    if game.bots.fits:
        told = game.bots.features(state, seat)
        fit = game.bots.fits.get(" ".join(sorted(told)))
        if fit is not None:
            odds = sum([fit["weights"][name] * number for name, number in told.items()])
            return 1 / (1 + exp(-max(-_SURE, min(_SURE, odds))))
    points = {each: max(0, number) for each, number in game.rules.standings(state).items()}
    return (points[seat] + 1) / (sum(points.values()) + len(points)) if seat in points else 0.5


def share(game: AnyGame, state: Any, seat: Seat, winners: Sequence[Seat]) -> float:
    """A seat's share of a win: 1 alone or with its allies, a fraction if shared, 0 for another's."""
    if seat not in winners:
        return 0.0
    allies = game.rules.allies(state, seat)
    return 1 / (1 + sum(winner != seat and winner not in allies for winner in winners))
