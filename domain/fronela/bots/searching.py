"""What a player who searches knows of Fronela: which commands are worth a trial, and how far to look ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from domain.dice import Dice
from domain.fronela.bots.greedy import all_of, greedy, steps_worth
from domain.fronela.commands import MOST_ROUNDS, Done, FightOn
from domain.fronela.phases.battlefield import contested
from domain.fronela.phases.combat import OUTNUMBERED
from domain.fronela.phases.retreat.attacker import attackers_options
from domain.fronela.state import State, changed
from domain.options import Scored
from domain.shape import as_document
from domain.terms import Seat

TURNS = 2
"""How many turns of other nations it looks ahead: with more a trial costs more and chance drowns what a command is worth."""
_CHOSEN = frozenset(("growth", "retreat", "special_retreat"))
"""Questions of which any answer may be worth a trial."""


def policy(state: State, seat: Seat) -> Sequence[Scored]:
    """Of moves and battles what the greedy player thinks of; of most other questions his answer alone."""
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
"""The greedy player rolls none."""


def _fights(state: State) -> Iterator[Any]:
    fights = [(area, foe) for area, foes in contested(state).items() for foe in foes]
    yield from (FightOn(area, foe, OUTNUMBERED, MOST_ROUNDS) for area, foe in fights)
    yield from map(all_of, attackers_options(state))


def far_enough(start: State, state: State) -> bool:
    """So many turns on of nations that are on the board."""
    if state.round == start.round:
        passed = state.order[start.place : state.place]
    else:
        passed = (*start.order[start.place :], *state.order[: max(0, state.place)])
    if len(passed) <= TURNS:
        return False
    nations, there = state.tables.nations, state.board.values()
    return sum([slot in nations and any(slot in garrison for garrison in there) for slot in passed]) > TURNS


def supposed(state: State, seat: Seat) -> State:
    """All is open but the orders of others; it is supposed that they have given none, rather than any at random."""
    nations = state.tables.nations
    return changed(state, orders={nation: old for nation, old in state.orders.items() if nations[nation].seat == seat})
