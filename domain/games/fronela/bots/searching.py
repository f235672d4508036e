"""Settings of the search bot for Fronela: the candidate commands and the search depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from domain.games.fronela.bots.greedy import all_of, greedy, steps_worth
from domain.games.fronela.commands import MOST_ROUNDS, Done, FightOn
from domain.games.fronela.phases.battlefield import contested
from domain.games.fronela.phases.combat import OUTNUMBERED
from domain.games.fronela.phases.retreat.attacker import attackers_options
from domain.games.fronela.state import FronelaState, changed
from domain.kernel.dice import Dice
from domain.kernel.game.bots import Scored
from domain.kernel.shape import as_document
from domain.kernel.terms import Seat

TURNS = 2
"""Number of other nations' turns to look ahead. With more, trials cost more and chance hides the value of a command."""
_CHOSEN = frozenset(("growth", "retreat", "special_retreat"))
"""Kinds of question for which any answer may be tried."""


def policy(state: FronelaState, seat: Seat) -> Sequence[Scored]:
    """Candidate commands: the greedy bot's options for moves and battles, and its answer to most other questions."""
    assert state.asking is not None
    kind = state.asking.kind
    if kind in _CHOSEN:
        return ()
    if kind == "move":
        steps = sorted(steps_worth(state, state.tables.nations[state.turn]), key=lambda step: step[0], reverse=True)
        return [(worth, as_document(command)) for worth, command in [*steps[:3], (0.0, Done()), *steps[3:]]]
    if kind == "battle" and state.turn in state.tables.nations:
        return [(0.0, as_document(command)) for command in _fights(state)]
    return [(0.0, greedy(state, seat, _NO_DICE))]


_NO_DICE = Dice(b"")
"""The greedy bot rolls no dice."""


def _fights(state: FronelaState) -> Iterator[Any]:
    fights = [(area, foe) for area, foes in contested(state).items() for foe in foes]
    yield from (FightOn(area, foe, OUTNUMBERED, MOST_ROUNDS) for area, foe in fights)
    yield from map(all_of, attackers_options(state))


def far_enough(start: FronelaState, state: FronelaState) -> bool:
    """Whether more than `TURNS` turns of nations on the board have passed."""
    if state.round == start.round:
        passed = state.order[start.place : state.place]
    else:
        passed = (*start.order[start.place :], *state.order[: max(0, state.place)])
    if len(passed) <= TURNS:
        return False
    nations, there = state.tables.nations, state.board.values()
    return sum([slot in nations and any(slot in garrison for garrison in there) for slot in passed]) > TURNS


def supposed(state: FronelaState, seat: Seat, dice: Dice) -> FronelaState:  # noqa: ARG001 - nothing is drawn
    """The state with the orders of other seats removed. Assuming none is better than assuming random ones."""
    nations = state.tables.nations
    return changed(state, orders={nation: old for nation, old in state.orders.items() if nations[nation].seat == seat})
