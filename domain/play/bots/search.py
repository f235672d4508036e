"""A player of every game that tries its best commands on imagined states, plays on from each for a while, and compares.

What is compared are trials in pairs: in its n-th trial every command meets the same imagined state and the same chance, so that most
of what is luck falls out of their differences. After each round the better half goes on (sequential halving). The command that
the game's usual bot would have chosen is tried to the end, and stands unless another leads it by one standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import ceil, exp, log2, sqrt
from statistics import fmean, variance
from typing import Any

from domain.dice import Aside, Dice
from domain.game import AnyGame, Bot
from domain.options import commands, pick
from domain.play.unfold import Unfolded
from domain.shape import build
from domain.terms import SYSTEM, Seat

LEVELS: Mapping[int, int] = {1: 500, 2: 2500, 3: 10_000}
"""How many imagined commands a decision is worth, by the player's level; counted and not timed, so that the same dice give the same."""
WIDTH = 6
"""Commands that are tried."""
LONGEST = 300
"""Commands that are followed in a trial at most."""
FEWEST = 6
"""Pairs of trials without which nothing is said of a difference."""
_LISTED = 400
"""Commands of an Option that are looked at where the game has no policy."""
_SEED = 16
_SURE = 30.0
"""Logarithm of odds beyond which nothing is more certain."""

Command = Mapping[str, Any]


def best(game: AnyGame, usual: Bot[Any], state: Any, seat: Seat, dice: Dice, worth: int) -> Command:
    """The command, as JSON with its type, that trials of about so many commands speak for; ``state`` is an imagined one.

    ``usual`` is the bot that plays in the trials for every seat, and whose own choice is to be beaten.
    """
    choice = usual(state, seat, dice)
    rivals = list(islice(_others(game, state, seat, choice, dice), WIDTH - 1))
    if not rivals:
        return choice
    worlds = _Worlds(game, usual, state, seat, dice)
    choices = [choice, *rivals]
    found: dict[int, list[float]] = {number: [] for number in range(len(choices))}
    alive = list(found)
    rounds = ceil(log2(len(choices)))
    for turn in range(1, rounds + 1):
        while worlds.imagined * rounds < turn * worth:
            for number in alive:
                found[number].append(worlds.trial(choices[number], len(found[number])))
        order = sorted(alive[1:], key=lambda number: fmean(found[number]), reverse=True)
        alive = [0, *order[: max(1, len(alive) // 2 - 1)]]
    leader = alive[1]
    return choices[leader] if _leads(found[leader], found[0]) else choice


def _leads(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the one is better in the pairs of trials by more than one standard error."""
    pairs = [mine - theirs for mine, theirs in zip(one, other, strict=False)]
    return len(pairs) >= FEWEST and fmean(pairs) > sqrt(variance(pairs) / len(pairs))


def _others(game: AnyGame, state: Any, seat: Seat, choice: Command, dice: Dice) -> Iterator[Command]:
    """Other commands that may be worth a trial, each once: the best by the game's policy, or some of all."""
    seen = [_plain(choice)]
    for command in _considered(game, state, seat, dice):
        if (plain := _plain(command)) not in seen:
            seen.append(plain)
            yield command


def _considered(game: AnyGame, state: Any, seat: Seat, dice: Dice) -> Iterable[Command]:
    scored = game.policy(state, seat)
    if scored:
        return [command for _, command in scored]
    options = game.replies(state, seat)
    listed = list(islice((command for option in options for command in commands(option)), _LISTED))
    if len(listed) < _LISTED:
        return dice.shuffle(listed)
    return (pick(options, dice) for _ in range(4 * WIDTH))


def _plain(command: Command) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in command.items()}


class _Worlds:
    """The imagined states and the chances that the trials of one decision meet, each made once."""

    def __init__(self, game: AnyGame, usual: Bot[Any], state: Any, seat: Seat, dice: Dice) -> None:
        self._game, self._usual, self._state, self._seat = game, usual, state, seat
        self._seed = bytes(dice.below(256) for _ in range(_SEED))
        self._made: list[Any] = []
        self.imagined = 0
        """Commands that have been imagined in all trials together."""

    def trial(self, command: Command, number: int) -> float:
        """What the command comes to in the world of this number: the seat's chances where the trial ends."""
        game, seat = self._game, self._seat
        while len(self._made) <= number:
            aside = Aside(self._seed + b"state %d" % len(self._made))
            self._made.append(game.supposed(self._state, seat, aside))
        chance = Aside(self._seed + b"dice %d" % number)
        start = self._made[number]
        state = after(game, start, seat, build(game.commands, command), chance)
        self.imagined += 1
        for _ in range(LONGEST):
            asked = game.awaiting(state)
            if not asked or game.far_enough(start, state):
                break
            who = asked[0].seat
            said = game.default(state, SYSTEM, chance) if who == SYSTEM else self._said(state, who, chance)
            state = after(game, state, who, said, chance)
            self.imagined += 1
        return value(game, state, seat)

    def _said(self, state: Any, seat: Seat, chance: Dice) -> Any:
        return build(self._game.commands, self._usual(state, seat, chance))


def after(game: AnyGame, state: Any, seat: Seat, command: Any, dice: Dice) -> Any:
    """The state that the command leads to; what deciding has evolved does not happen again."""
    decided = game.decide(state, seat, command, dice)
    if isinstance(decided, Unfolded):
        return decided.state
    for event in decided:
        state = game.evolve(state, event)
    return state


def value(game: AnyGame, state: Any, seat: Seat) -> float:
    """The seat's chances, from 0 to 1: by the outcome, by what was fitted to the game's `features`, or by the public score."""
    outcome = game.outcome(state)
    if outcome is not None:
        return share(game, state, seat, outcome.winners)
    if game.fits:
        told = game.features(state, seat)
        fit = game.fits.get(" ".join(sorted(told)))
        if fit is not None:
            odds = sum([fit["weights"][name] * number for name, number in told.items()])
            return 1 / (1 + exp(-max(-_SURE, min(_SURE, odds))))
    points = {each: max(0, number) for each, number in game.standings(state).items()}
    return (points[seat] + 1) / (sum(points.values()) + len(points)) if seat in points else 0.5


def share(game: AnyGame, state: Any, seat: Seat, winners: Sequence[Seat]) -> float:
    """What a seat has of a win: all of it alone or with its allies, a part of it with others, nothing of another's."""
    if seat not in winners:
        return 0.0
    allies = game.allies(state, seat)
    return 1 / (1 + sum(winner != seat and winner not in allies for winner in winners))
