"""Values for bots: the value of areas to a nation, how strongly they attract it, and the odds of winning them.

The values depend on which nations are in an area and not on their numbers, and are cached by these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from domain.games.fronela.bots.odds import win
from domain.games.fronela.phases.dice import HITS_ON
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import STEEP, Nation
from domain.games.fronela.state import FronelaState, groups, noted, strength

GROWTH_WORTH = 0.6
SPITE = 0.35
"""Value of a point that an enemy loses."""
FAR = 0.6
"""Discount for each further step of distance."""


def worth(state: FronelaState, nation: Nation, area: str) -> float:
    """The value of holding the area: points, growth, and the points that its holder loses."""
    return _worth(state.scenario, nation.id, area, tuple(state.board.get(area, ())))


@lru_cache(maxsize=65_536)
def _worth(scenario: str, who: str, area: str, there: tuple[str, ...]) -> float:
    """The value from `worth`, computed from the nations in the area, the only part of the state that matters."""
    nations = SCENARIOS[scenario].nations
    nation = nations[who]
    value = float(nation.points.get(area, 0))
    match nation.growth:
        case "everywhere":
            value += GROWTH_WORTH
        case "lands":
            value += GROWTH_WORTH * (area in nation.lands)
        case "once":
            value += 2 * GROWTH_WORTH * (area in nation.growth_areas)
    for other in sorted(there):
        rival = nations[other]
        if rival.seat != nation.seat:
            value += SPITE * rival.points.get(area, 0)
    return value


def chance(state: FronelaState, nation: Nation, area: str, dice: int) -> float:
    """The chance that this many dice of the nation win the area from its occupants."""
    against, mine, theirs = defended(state, nation, area)
    return win(dice, against, mine, theirs)


def defended(state: FronelaState, nation: Nation, area: str) -> tuple[int, int, int]:
    """The number of enemy dice in the area, and the lowest faces that hit for attackers and for defenders."""
    tables = state.tables
    foes = [other for other in state.board.get(area, ()) if other != nation.id]
    against = sum([strength(tables.nations[foe], groups(state, area, foe)) for foe in foes])
    if not against:
        return 0, HITS_ON, HITS_ON
    steep = tables.areas[area].terrain in STEEP
    theirs = HITS_ON - max([_skill(state.scenario, foe)[1] for foe in foes])
    return against, HITS_ON + steep - _skill(state.scenario, nation.id)[0], theirs


@lru_cache(maxsize=256)
def _skill(scenario: str, who: str) -> tuple[int, int]:
    """The best bonus of a nation's units to a die, in attack and in defense."""
    units = SCENARIOS[scenario].nations[who].units.values()
    attack = max([unit.modifier for unit in units])
    return attack, attack + max([unit.defence for unit in units])


@noted
def pull_of(state: FronelaState, who: str) -> Mapping[str, float]:
    """The attraction of the best area that the nation does not yet hold, for each area."""
    scenario, board = state.scenario, state.board
    land, near = _near(scenario, who)
    pull = [_draws(scenario, who, area, tuple(board.get(area, ()))) for area in land]
    for _ in range(3):
        pull.append(0.0)
        pull = [own if own > (far := FAR * max(around(pull))) else far for own, around in zip(pull, near, strict=False)]
    return dict(zip(land, pull, strict=True))


@lru_cache(maxsize=256)
def _near(scenario: str, who: str) -> tuple[tuple[str, ...], tuple[Callable[[Sequence[float]], Any], ...]]:
    """The land areas, and for each a getter for its neighbors' values. The getter also reads the last value, zero, twice."""
    tables = SCENARIOS[scenario]
    land = tuple(tables.land)
    places = {area: place for place, area in enumerate(land)}
    ways = tables.nations[who].ways
    return land, tuple(itemgetter(*[places[to] for to in ways[area]], len(land), len(land)) for area in land)


@lru_cache(maxsize=65_536)
def _draws(scenario: str, who: str, area: str, there: tuple[str, ...]) -> float:
    """The attraction of the area itself; zero if the nation or an ally of its color is there."""
    return 0.0 if who in there or _friendly(scenario, who, there) else _worth(scenario, who, area, there)


def friends(state: FronelaState, nation: Nation, area: str) -> bool:
    """Whether another nation of the same color is there."""
    garrison = state.board.get(area)
    return garrison is not None and _friendly(state.scenario, nation.id, tuple(garrison))


@lru_cache(maxsize=16_384)
def _friendly(scenario: str, who: str, there: tuple[str, ...]) -> bool:
    nations = SCENARIOS[scenario].nations
    return any(nations[other].seat == nations[who].seat for other in there if other != who)
