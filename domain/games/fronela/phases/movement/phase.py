"""The move phase: its start, single steps and complete moves, and its end by the owner (FRO-07, FRO-D10, FRO-D21)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Done, Go, March
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.queries import Steps
from domain.games.fronela.episode_api.registry import adjusted, answering
from domain.games.fronela.phases.battlefield import contested
from domain.games.fronela.phases.malkioni import may_move
from domain.games.fronela.phases.movement.journey import Ground, travellers
from domain.games.fronela.phases.movement.naming import by_name, shared
from domain.games.fronela.phases.movement.steps import movers, step, targets
from domain.games.fronela.phases.overpopulation import excess
from domain.games.fronela.scenarios.tables import Nation
from domain.games.fronela.state import FronelaState, Group, areas_of, grouped, groups, noted
from domain.kernel.terms import Integer, OneOf, Option, Seat


def begin(decision: FronelaDecision, _: str) -> None:
    """Begin the move phase: set the steps of each unit, and ask if any unit can move (FRO-D21)."""
    state = decision.state
    nation = state.tables.nations[state.turn]
    far = {kind: unit.steps for kind, unit in nation.units.items()}
    if answering(state, Steps):
        far = {kind: adjusted(state, Steps(nation.id, kind), steps) for kind, steps in far.items()}
    steps: dict[str, dict[str, int]] = {}
    for area in areas_of(state, nation.id):
        stack = groups(state, area, nation.id)
        if state.tables.areas[area].terrain == "sea":
            continue
        if nation.kind != "malkioni":
            steps[area] = {group.kind: far[group.kind] for group in stack}
        elif movers := {group.kind: far[group.kind] for group in stack if may_move(group.kind, stack)}:
            steps[area] = movers
    decision.happen(ev.UnitsReadied(nation.id, steps))
    decision.first("moves_end")
    if _can_move(decision.state, nation):
        decision.ask(nation.seat, "move", "FRO-07", nation=nation.id)


def end(decision: FronelaDecision, _: str) -> None:
    decision.happen(ev.MovesEnded(decision.state.turn))


def _can_move(state: FronelaState, nation: Nation) -> bool:
    """Whether any unit can take a step. A complete move also needs a first step."""
    return any(
        group.left and targets(state, nation, area, group)
        for area in areas_of(state, nation.id)
        for group in groups(state, area, nation.id)
    )


@noted
def _moves(state: FronelaState, who: str) -> tuple[Option, ...]:
    """Single steps and complete moves of a nation, for each unit name in an area."""
    nation = state.tables.nations[who]
    ground = Ground(state, nation)
    found: list[Option] = []
    for area in areas_of(state, nation.id):
        for unit, meant in by_name(state, state.board[area][nation.id]).items():
            ready = [group for group in meant if group.left]
            if ready:
                steps = shared([(group, targets(state, nation, area, group)) for group in ready])
                journeys = shared([(group, ground.reach(area, group)) for group in ready])
                found += _offers("march", area, unit, steps)
                found += _offers("go", area, unit, journeys)
    return tuple(found)


@lru_cache(maxsize=4096)
def _offers(kind: str, area: str, unit: str, shares: tuple[tuple[int, tuple[str, ...]], ...]) -> tuple[Option, ...]:
    """The options for groups of units and their areas. Cached, because the same ones recur in many positions."""
    fixed = {"area": area, "unit": unit}
    return tuple(Option(kind, fixed, (OneOf("to", to), Integer("count", 1, number))) for number, to in shares)


class Move(FronelaQuestionKind):
    """Single steps or complete moves, until the owner is done."""

    commands = (March, Go, Done)
    chosen = True  # the owner ends the moves, so that a prepared list of commands always ends the same way

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [*_moves(state, state.turn), Option("done")]

    def usual(self, state: FronelaState) -> Any:
        return Done()

    def idle(self, state: FronelaState) -> Any:
        """Passing the moves is safe unless a fight follows or surplus units could still move elsewhere."""
        nation = state.tables.nations[state.turn]
        if contested(state):
            return None
        lost = (group.left and targets(state, nation, area, group) for area, group, _ in excess(state, nation))
        return None if any(lost) else Done()

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        nation = decision.state.tables.nations[decision.state.turn]
        match command:
            case March():
                for group in movers(decision.state, nation, command):
                    decision.happen(step(decision.state, nation, command.area, group, command.to))
            case Go():
                for group, way in travellers(decision.state, nation, command):
                    _walk(decision, nation, command.area, group, way)
            case _:
                decision.close()


def _walk(decision: FronelaDecision, nation: Nation, area: str, group: Group, way: Sequence[str]) -> None:
    """Move a group step by step, with the events of single steps."""
    for to in way:
        taken = step(decision.state, nation, area, group, to)
        decision.happen(taken)
        group = grouped(group.kind, group.count, taken.left, area, taken.ferried, group.fled)
        area = to
