"""Analyzes all moments of a game in several processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from service.audit.processes import can_fork, map_in_order
from service.features.analysis.evaluation import MomentResult, evaluate_moment
from service.features.analysis.moments import AnalysisMoment, ReplayedGame

STRETCH = 8
"""Number of moments that a process takes at a time."""


def looked(walk: ReplayedGame, level: int, jobs: int, done: Callable[[int, int], None]) -> Sequence[MomentResult]:
    """The results for all moments, in order. ``done`` is called with the number of analyzed moments and the total.

    Raises `service.audit.processes.Inconclusive` if a process fails.
    """
    whole = len(walk.moments)
    pieces = [walk.moments[first : first + STRETCH] for first in range(0, whole, STRETCH)]

    def look_at(piece: Sequence[AnalysisMoment]) -> list[MomentResult]:
        return [evaluate_moment(walk, moment, level) for moment in piece]

    if jobs == 1 or len(pieces) < 2 or not can_fork():
        found = []
        for moment in walk.moments:
            found.append(evaluate_moment(walk, moment, level))
            done(len(found), whole)
        return found
    stretches = map_in_order(pieces, jobs, look_at, lambda number: done(min(whole, number * STRETCH), whole))
    return [each for stretch in stretches for each in stretch]
