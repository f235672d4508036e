"""The memory of the Unbound Buff: position, employer, bribes and bets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.battalia.modules.unbound_buff import events as ev
from domain.games.battalia.rulebook.payment import wheel
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState, Hero
from domain.kernel.terms import Seat

KEY = "unbound_buff"
FIGURE = "buff"
"""The id of his figure as a hired hero."""

Memory = Mapping[str, Any]

BLANK: Memory = {
    "square": "",  # of the free Buff
    "horde": 0,
    "owner": 0,
    "until": 0,
    "bribes": {},  # for each seat the day on which its bribe ends
    "bets": {},  # secret
    "open": {},  # revealed bets, not yet discarded
    "left": 0,  # squares that he may still move
    "trail": [],  # squares that he has visited in this move
}


def of(state: BattaliaState) -> Memory:
    memory: Memory = state.npcs[KEY]
    return memory


def square(state: BattaliaState) -> str:
    """The free Buff's square; empty while hired or off the map."""
    where: str = of(state)["square"]
    return where


def hired(state: BattaliaState) -> Hero | None:
    """Buff's figure while it serves a player; None otherwise."""
    return state.heroes.get(FIGURE)


def bribed(state: BattaliaState, seat: Seat) -> bool:
    """BUF-10: whether a bribe protects the seat's heroes."""
    return str(seat) in of(state)["bribes"]


def prey(state: BattaliaState, where: str) -> tuple[str, ...]:
    """BUF-08: the heroes on the square that the free Buff would attack."""
    there = (name for name, hero in state.heroes.items() if hero.square == where and not bribed(state, hero.seat))
    return tuple(sorted(there))


def horde(state: BattaliaState) -> int:
    """BUF-05: the horde's strength in the current week."""
    rules = RULESETS[state.ruleset]
    _, week = wheel.date(state.day, rules)
    first, growth = rules.modules["horde"], rules.modules["horde_growth"]
    strength: int = first + growth * (week - 2)
    return strength


def term(state: BattaliaState) -> tuple[int, int, int]:
    """DAY-05: the end of a bribe or hire made today: day counted from 0, day of the week, week."""
    rules = RULESETS[state.ruleset]
    until = state.day + len(rules.wheel)
    return (until, *wheel.date(until, rules))


def evolve(memory: Memory, event: Any) -> Memory:
    match event:
        case ev.BetPlaced(seat, cards):
            return {**memory, "bets": {**memory["bets"], str(seat): list(cards)}}
        case ev.BetsRevealed(_, bets, _, _):
            return {**memory, "bets": {}, "open": {str(seat): list(cards) for seat, cards in bets.items()}}
        case ev.BuffEntered(_, where, strength, _):
            return {**memory, "square": where, "horde": strength, "open": {}}
        case ev.HordeGrown(strength):
            return {**memory, "horde": strength}
        case ev.BuffRolled(_, roll, _):
            return {**memory, "left": roll, "trail": [memory["square"]]}
        case ev.BuffMoved(_, _, to, left, _):
            return {**memory, "square": to, "left": left, "trail": [*memory["trail"], to]}
        case ev.BuffAttacked() | ev.BuffLeftAlone():
            return {**memory, "left": 0, "trail": []}
        case ev.BuffBribed(seat, _, until, _, _, _):
            return {**memory, "bribes": {**memory["bribes"], str(seat): until}}
        case ev.BribeEnded(seat):
            return {**memory, "bribes": _without(memory, seat)}
        case ev.BuffHired(seat, _, until, _, _, _):
            return {**memory, "square": "", "horde": 0, "owner": seat, "until": until, "bribes": _without(memory, seat)}
        case ev.BuffFreed(_, where, strength):
            return {**memory, "square": where, "horde": strength, "owner": 0, "until": 0}
        case ev.BuffGone():
            return {**memory, "square": "", "horde": 0, "owner": 0, "until": 0, "left": 0, "trail": []}
        case _:
            return memory


def _without(memory: Memory, seat: Seat) -> Mapping[str, int]:
    return {other: until for other, until in memory["bribes"].items() if other != str(seat)}
