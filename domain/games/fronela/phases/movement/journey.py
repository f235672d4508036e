"""Complete moves: the areas that a group can reach without being stopped, and the route it takes (FRO-D56)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from domain.games.fronela.commands import Go
from domain.games.fronela.episode_api.registry import bent_ways
from domain.games.fronela.episode_api.ways import named
from domain.games.fronela.phases.movement.naming import enough, some
from domain.games.fronela.phases.movement.steps import bent_exits, can_pass, guarded, is_last, ready, refusal
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import Nation, Scenario
from domain.games.fronela.state import FronelaState, Group, areas_of, noted
from domain.kernel.errors import RuleViolation


class OutOfReach(RuleViolation):
    """The units cannot reach the area without being stopped on the way, or they are already there."""

    code = "out-of-reach"
    rule = "FRO-D56"


class Stage(NamedTuple):
    """A group's position on its route, with the facts that decide where it can go next."""

    area: str
    moved: bool
    ferried: bool


_Way = tuple[int, int, tuple[int, ...]]
"""A route in a form that compares; the least is taken.

Its items are the number of steps in which units could be made to stay, the number of all steps, and its areas. Areas
are given by their numbers in the order of 6.2.
"""


class _Lookups(NamedTuple):
    """Lookups on the map for one nation, filled on demand."""

    risky: frozenset[str]
    """Areas with other nations, where units could be made to stay."""
    closed: frozenset[str]
    """Areas that no unit can pass."""
    ways: dict[Stage, list[Stage]]
    reached: dict[tuple[Stage, int], tuple[str, ...]]


@noted
def _lookups(state: FronelaState, who: str) -> _Lookups:
    nation, board, own = state.tables.nations[who], state.board, areas_of(state, who)
    risky = frozenset(board.keys() - [area for area in own if len(board[area]) == 1])
    passed = [area for area in own if len(board[area]) > 1 and can_pass(state, nation, area)]
    return _Lookups(risky, risky.difference(passed), {}, {})


class Ground:
    """The map for one nation in one position. Results are kept for the next group."""

    def __init__(self, state: FronelaState, nation: Nation) -> None:
        self.state = state
        self.nation = nation
        self._known = _lookups(state, nation.id)

    def reach(self, area: str, group: Group) -> Sequence[str]:
        """The areas that the group can reach without being stopped before, in the order of 6.2."""
        found = self._found(Stage(area, bool(group.came), group.ferried), group.left)
        shut = guarded(self.state, self.nation.id, group.kind)
        return [to for to in found if to not in shut] if shut else found

    def way(self, area: str, group: Group, to: str) -> list[str]:
        """The steps to an area within reach.

        Fewest steps in which units could be made to stay, then fewest steps, then the order of 6.2 (FRO-D56).
        """
        best: _Way | None = None
        numbers, risky, closed = self.state.tables.numbers, self._known.risky, self._known.closed
        edge: dict[Stage, _Way] = {Stage(area, bool(group.came), group.ferried): (0, 0, ())}
        least = dict.fromkeys(edge, 0)
        """For each stage the least risk so far. A later route with the same risk or more is never better."""
        while edge and (best is None or best[0] > (to in risky)):
            ahead: dict[Stage, _Way] = {}
            for stage, (risk, steps, places) in edge.items():
                ends = steps == group.left - 1 or self._ends(stage)
                for after in self._ways_from(stage):
                    place = after.area
                    if place != to and (ends or place in closed):
                        continue
                    longer = (risk + (place in risky), steps + 1, (*places, numbers[place]))
                    if place == to:
                        best = longer if best is None else min(best, longer)
                    elif longer[0] < least.get(after, longer[0] + 1):
                        ahead[after] = min(ahead.get(after, longer), longer)
            least |= {stage: way[0] for stage, way in ahead.items()}
            edge = ahead
        assert best is not None
        areas = list(numbers)
        return [areas[number] for number in best[2]]

    def _found(self, start: Stage, left: int) -> tuple[str, ...]:
        """The land areas that can be reached with this many steps, except the start, in the order of 6.2."""
        if (start, left) not in self._known.reached:
            if bent_ways(self.state):
                stages = _spread(start, left, self._ways_from, self._passes, self._ends)
                found = _elsewhere(self.state.tables, start.area, {stage.area for stage in stages})
            else:
                found = _plain_spread(self.state.scenario, self.nation.id, start.area, left, self._known.closed)
            self._known.reached[start, left] = found
        return self._known.reached[start, left]

    def _passes(self, stage: Stage) -> bool:
        return stage.area not in self._known.closed

    def _ends(self, stage: Stage) -> bool:
        return is_last(self.state.tables, self.nation, stage.area)

    def _ways_from(self, stage: Stage) -> list[Stage]:
        if stage not in self._known.ways:
            self._known.ways[stage] = list(self._look(stage))
        return self._known.ways[stage]

    def _look(self, stage: Stage) -> Iterator[Stage]:
        near = self.nation.ways[stage.area]
        for to in bent_exits(self.state, self.nation.id, stage.area, stage.moved, stage.ferried):
            yield Stage(to, moved=True, ferried=stage.ferried or to not in near)


T = TypeVar("T", Stage, str)


def _spread(
    start: T,
    left: int,
    ways_from: Callable[[T], Iterable[T]],
    passes: Callable[[T], bool],
    ends: Callable[[T], bool],
) -> set[T]:
    """The places that can be reached in ``left`` steps.

    A route ends at a place that cannot be passed, and after a last step.
    """
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
def _plain_spread(scenario: str, nation_id: str, area: str, left: int, closed: frozenset[str]) -> tuple[str, ...]:
    """The reachable areas in a round in which no episode adds or blocks ways."""
    tables = SCENARIOS[scenario]
    nation = tables.nations[nation_id]
    ends = _ends(scenario, nation_id)
    reached = _spread(area, left, nation.ways.__getitem__, lambda to: to not in closed, ends.__contains__)
    return _elsewhere(tables, area, reached)


def _elsewhere(tables: Scenario, area: str, reached: Collection[str]) -> tuple[str, ...]:
    """The land areas among these except the start, in the order of 6.2."""
    return tuple([to for to in tables.land if to in reached and to != area])


@lru_cache(maxsize=256)
def _ends(scenario: str, nation_id: str) -> frozenset[str]:
    """The areas from which a step of the nation is its last."""
    tables = SCENARIOS[scenario]
    return frozenset(place for place in tables.areas if is_last(tables, tables.nations[nation_id], place))


def travellers(state: FronelaState, nation: Nation, command: Go) -> list[tuple[Group, list[str]]]:
    """The groups that go, each with its route. Among units of one name, those with the fewest steps left go first.

    Raises the refusal that applies.
    """
    fresh = sorted(ready(state, nation, command), key=lambda group: group.left)
    ground = Ground(state, nation)
    able = [group for group in fresh if command.to in ground.reach(command.area, group)]
    if not able:
        raise _refusal(ground, fresh, command)
    enough(able, command.count)
    return [(group, ground.way(command.area, group, command.to)) for group in some(able, command.count)]


def _refusal(ground: Ground, fresh: Sequence[Group], command: Go) -> RuleViolation:
    """The refusal if none of these groups can reach the area."""
    area, to = command.area, command.to
    if to in ground.state.tables.areas[area].adjacent:
        return refusal(ground.state, ground.nation, fresh[0], command)
    areas = [place for place in ground.state.tables.land if any(place in ground.reach(area, group) for group in fresh)]
    if to == area:
        return OutOfReach(f"These units are in {named(ground.state, area)}.", field="to", areas=areas)
    sentence = f"These units do not get to {named(ground.state, to)} without being stopped on the way."
    return OutOfReach(sentence, field="to", areas=areas)
