"""What cannot be in a state that was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.fronela.state import State, count, groups
from domain.fronela.tables import COLOURS


def faults(state: State) -> Sequence[str]:
    """Counters that do not add up, two nations where one should be, points that are not in the ledger."""
    return [*_counters(state), *_areas(state), *_points(state), *_question(state)]


def _counters(state: State) -> Iterator[str]:
    for nation in state.tables.nations.values():
        for kind, limit in nation.counters.items():
            out = sum(count(groups(state, area, nation.id), kind) for area in state.board)
            left = state.pool[nation.id][kind]
            if out + left != limit or left < 0:
                yield f"{nation.id} has {out} {kind} on the board and {left} in the pool, of {limit}"


def _areas(state: State) -> Iterator[str]:
    for area, here in state.board.items():
        if area not in state.tables.areas:
            yield f"{area} is on no map"
        if not here or any(not some or any(group.count < 1 for group in some) for some in here.values()):
            yield f"there is an empty stack in {area}"
        if len(here) > 1 and state.turn not in here:
            yield f"{' and '.join(here)} stand together in {area}"
        if len(here) > 2:
            yield f"three nations stand in {area}"


def _points(state: State) -> Iterator[str]:
    sums = dict.fromkeys(state.tables.nations, 0)
    for entry in state.ledger:
        sums[entry.nation] += entry.points
    for nation, points in sums.items():
        if state.points[nation] != points:
            yield f"{nation} has {state.points[nation]} points and {points} in the ledger"


def _question(state: State) -> Iterator[str]:
    if (state.asking is None) != state.ended:
        yield "nobody is asked, and the game is not over" if not state.ended else "a finished game asks"
    elif state.asking is not None and not 0 <= state.asking.seat <= len(COLOURS):
        yield f"seat {state.asking.seat} is asked"
