"""Whole moves: where a group gets without being stopped on the way, and the way it takes (FRO-D56)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from domain.errors import RuleViolation
from domain.fronela.commands import Go
from domain.fronela.episode.registry import bent_ways
from domain.fronela.episode.ways import named
from domain.fronela.phases.movement.naming import enough, some
from domain.fronela.phases.movement.steps import can_pass, exits, guarded, is_last, ready, refusal
from domain.fronela.scenarios import SCENARIOS
from domain.fronela.scenarios.tables import Nation
from domain.fronela.state import Group, State, noted, others


class OutOfReach(RuleViolation):
    """The units do not get there without being stopped on the way, or they are there."""

    code = "out-of-reach"
    rule = "FRO-D56"


class Stage(NamedTuple):
    """Where a group is on its way, as far as that decides how it can go on."""

    area: str
    moved: bool
    ferried: bool


class _Way(NamedTuple):
    """A way as it compares with others: the least is taken."""

    risk: int
    """Steps in which somebody could be made to stay."""
    steps: int
    places: tuple[int, ...]
    """Of the areas in the order of 6.2."""


class _Lookups(NamedTuple):
    """What is known of the map as one nation can cross it; the rest is looked up when it is asked for, and kept."""

    closed: frozenset[str]
    """Where nobody goes on from."""
    ways: dict[Stage, list[Stage]]
    reached: dict[tuple[Stage, int], frozenset[str]]


@noted
def _lookups(state: State, who: str) -> _Lookups:
    nation = state.tables.nations[who]
    closed = [
        area
        for area, garrison in state.board.items()
        if who not in garrison or (len(garrison) > 1 and not can_pass(state, nation, area))
    ]
    return _Lookups(frozenset(closed), {}, {})


class Ground:
    """The map as one nation can cross it in one position; what is looked up is kept for the next group."""

    def __init__(self, state: State, nation: Nation) -> None:
        self.state = state
        self.nation = nation
        self._closed, self._ways, self._reached = _lookups(state, nation.id)

    def reach(self, area: str, group: Group) -> list[str]:
        """The areas that the group gets to without being stopped before, in the order of 6.2."""
        found = self._found(Stage(area, bool(group.came), group.ferried), group.left)
        shut = guarded(self.state, self.nation.id, group.kind)
        return [to for to in self.state.tables.land if to in found and to != area and to not in shut]

    def way(self, area: str, group: Group, to: str) -> list[str]:
        """The steps to an area within reach.

        Fewest of those in which somebody could be made to stay, then fewest, then by the order of 6.2 (FRO-D56).
        """
        best: _Way | None = None
        places = {place: number for number, place in enumerate(self.state.tables.areas)}
        edge = {Stage(area, bool(group.came), group.ferried): _Way(0, 0, ())}
        while edge and (best is None or best.risk > self._risk(to)):
            ahead: dict[Stage, _Way] = {}
            for stage, way in edge.items():
                ends = way.steps == group.left - 1 or self._ends(stage)
                for after in self._ways_from(stage):
                    longer = _Way(way.risk + self._risk(after.area), way.steps + 1, (*way.places, places[after.area]))
                    if after.area == to:
                        best = longer if best is None else min(best, longer)
                    elif not ends and self._passes(after):
                        ahead[after] = min(ahead.get(after, longer), longer)
            edge = ahead
        assert best is not None
        areas = list(places)
        return [areas[place] for place in best.places]

    def _found(self, start: Stage, left: int) -> frozenset[str]:
        if (start, left) not in self._reached:
            if bent_ways(self.state):
                stages = _spread(start, left, self._ways_from, self._passes, self._ends)
                found = frozenset(stage.area for stage in stages)
            else:
                found = _plain_spread(self.state.scenario, self.nation.id, start.area, left, self._closed)
            self._reached[start, left] = found
        return self._reached[start, left]

    def _passes(self, stage: Stage) -> bool:
        return stage.area not in self._closed

    def _ends(self, stage: Stage) -> bool:
        return is_last(self.state.tables, self.nation, stage.area)

    def _risk(self, area: str) -> int:
        """1 where somebody could be made to stay."""
        return int(bool(others(self.state, area, self.nation.id)))

    def _ways_from(self, stage: Stage) -> list[Stage]:
        if stage not in self._ways:
            self._ways[stage] = list(self._look(stage))
        return self._ways[stage]

    def _look(self, stage: Stage) -> Iterator[Stage]:
        # Any kind will do: what history opens and forbids is the same for all of a nation's units.
        kind = next(iter(self.nation.units))
        group = Group(kind, 1, came=stage.area if stage.moved else "", ferried=stage.ferried)
        near = self.nation.ways[stage.area]
        for to in exits(self.state, self.nation, stage.area, group):
            yield Stage(to, moved=True, ferried=stage.ferried or to not in near)


T = TypeVar("T", Stage, str)


def _spread(
    start: T,
    left: int,
    ways_from: Callable[[T], Iterable[T]],
    passes: Callable[[T], bool],
    ends: Callable[[T], bool],
) -> set[T]:
    """What is reached with so many steps; nobody goes on from where they cannot pass, nor after a step that is the last."""
    reached: set[T] = set()
    passed = {start}
    edge = [start]
    while edge and left:
        left -= 1
        ahead = []
        for place in edge:
            after = ways_from(place)
            reached.update(after)
            if not ends(place):
                new = [to for to in after if to not in passed and passes(to)]
                passed.update(new)
                ahead += new
        edge = ahead
    return reached


@lru_cache(maxsize=8192)
def _plain_spread(scenario: str, nation_id: str, area: str, left: int, closed: frozenset[str]) -> frozenset[str]:
    """The areas reached in a round in which nothing opens or bars a way."""
    tables = SCENARIOS[scenario]
    nation = tables.nations[nation_id]
    ends = {place for place in tables.land if is_last(tables, nation, place)}
    return frozenset(_spread(area, left, nation.ways.__getitem__, lambda to: to not in closed, ends.__contains__))


def travellers(state: State, nation: Nation, command: Go) -> list[tuple[Group, list[str]]]:
    """Who goes, and which way: of units with one name those with the fewest steps left that get there.

    Raises the refusal that forbids it.
    """
    fresh = sorted(ready(state, nation, command), key=lambda group: group.left)
    ground = Ground(state, nation)
    able = [group for group in fresh if command.to in ground.reach(command.area, group)]
    if not able:
        raise _refusal(ground, fresh, command)
    enough(able, command.count)
    return [(group, ground.way(command.area, group, command.to)) for group in some(able, command.count)]


def _refusal(ground: Ground, fresh: Sequence[Group], command: Go) -> RuleViolation:
    """Why nobody of these gets there."""
    area, to = command.area, command.to
    if to in ground.state.tables.areas[area].adjacent:
        return refusal(ground.state, ground.nation, fresh[0], command)
    areas = [place for place in ground.state.tables.land if any(place in ground.reach(area, group) for group in fresh)]
    if to == area:
        return OutOfReach(f"These units are in {named(ground.state, area)}.", field="to", areas=areas)
    sentence = f"These units do not get to {named(ground.state, to)} without being stopped on the way."
    return OutOfReach(sentence, field="to", areas=areas)
