"""Finds contradictions in a state. Imported positions may contain anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.games.fronela.episode_api.registry import live
from domain.games.fronela.episodes import EPISODES
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import FronelaState, count, groups
from domain.games.fronela.turn.sequence import QUESTIONS, STEPS
from domain.kernel.terms import SYSTEM

_PERSONS = {name for episode in EPISODES.values() for name in episode.names}


def faults(state: FronelaState) -> Sequence[str]:
    """The contradictions, as sentences.

    They are unknown names, wrong counts of counters, two nations in one area, and points without an entry.
    """
    if state.scenario not in SCENARIOS:
        return [f"there is no scenario {state.scenario}"]
    named = [*_names(state), *_board(state), *_missing(state)]
    return named or [*_counters(state), *_areas(state), *_points(state), *_question(state)]


def _names(state: FronelaState) -> Iterator[str]:
    tables = state.tables
    nations = tables.nations.keys()
    if state.round not in tables.rounds:
        yield f"there is no round {state.round}"
    if state.pool.keys() != nations or state.points.keys() != nations:
        yield "the nations of the pool or of the points are not those of the scenario"
    elif any(state.pool[nation].keys() != tables.nations[nation].counters.keys() for nation in nations):
        yield "the pool holds counters that do not exist"
    strangers = {*state.order, *state.orders, *state.tokens.values()} - nations - _PERSONS
    strangers |= {entry.nation for entry in state.ledger} - nations
    yield from (f"there is no nation {name}" for name in sorted(strangers))
    yield from (f"there is nobody called {name}" for name in sorted({*state.persons, *state.tokens} - _PERSONS))
    places = {*state.board, *state.fought, *state.grown, *(person.area for person in state.persons.values())}
    yield from (f"{name} is on no map" for name in sorted(places - tables.areas.keys()))
    if not -1 <= state.place <= len(state.order):
        yield f"there is no slot {state.place}"


def _missing(state: FronelaState) -> Iterator[str]:
    if not state.ended:
        lasting = {name for episode in live(state) for name in episode.lasting}
        yield from (f"{name} is missing in round {state.round}" for name in sorted(lasting - state.persons.keys()))


def _board(state: FronelaState) -> Iterator[str]:
    nations = state.tables.nations
    for area, garrison in state.board.items():
        for nation, stack in garrison.items():
            if nation not in nations:
                yield f"there is no nation {nation}"
            elif not stack or any(group.count < 1 or group.left < 0 for group in stack):
                yield f"there is an empty stack in {area}"
            elif any(group.kind not in nations[nation].units for group in stack):
                yield f"{nation} has units in {area} that it cannot have"
            elif any(group.came and group.came not in state.tables.areas for group in stack):
                yield f"{nation} came to {area} from nowhere"
        if not garrison:
            yield f"there is an empty stack in {area}"


def _counters(state: FronelaState) -> Iterator[str]:
    for nation in state.tables.nations.values():
        for kind, limit in nation.counters.items():
            out = sum(count(groups(state, area, nation.id), kind) for area in state.board)
            left = state.pool[nation.id][kind]
            if out + left != limit or left < 0:
                yield f"{nation.id} has {out} {kind} on the board and {left} in the pool, of {limit}"


def _areas(state: FronelaState) -> Iterator[str]:
    for area, garrison in state.board.items():
        if len(garrison) > 1 and state.turn not in garrison:
            # Three nations including the active one can be played (FRO-D13), but occur only in imported positions.
            yield f"{' and '.join(sorted(garrison))} stand together in {area}"


def _points(state: FronelaState) -> Iterator[str]:
    sums = dict.fromkeys(state.tables.nations, 0)
    for entry in state.ledger:
        sums[entry.nation] += entry.points
    for nation, points in sums.items():
        if state.points[nation] != points:
            yield f"{nation} has {state.points[nation]} points and {points} in the ledger"


def _question(state: FronelaState) -> Iterator[str]:
    asking = state.asking
    if (asking is None) != state.ended:
        yield "a finished game asks" if state.ended else "nobody is asked, and the game is not over"
    if asking is None or state.ended:
        return
    if asking.kind not in QUESTIONS or asking.seat not in (SYSTEM, *state.tables.seats):
        yield f"seat {asking.seat} is asked {asking.kind}"
        return
    yield from (f"the turn cannot go on with {item}" for item in asking.agenda if item.partition(":")[0] not in STEPS)
    question = QUESTIONS[asking.kind]
    try:
        sensible = bool(question.legal(state, asking.seat)) and isinstance(question.usual(state), question.commands)
    except (AssertionError, KeyError, IndexError, ValueError, StopIteration):
        sensible = False
    if not sensible:
        yield f"the question {asking.kind} cannot be answered as things stand"
