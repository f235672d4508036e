"""Victory points: one ledger entry each, and the points for kills (FRO-D33, FRO-D34, FRO-D37)."""

from __future__ import annotations

from collections.abc import Iterable

from domain.games.fronela import events as ev
from domain.games.fronela.scenarios.tables import Kill, Nation
from domain.games.fronela.state import FronelaState, areas_of, count, held
from domain.kernel.terms import Outcome, Seat


def score(state: FronelaState, nation: str, reason: str, clause: str, points: int, area: str = "") -> ev.PointsScored:
    return ev.PointsScored(state.round, nation, reason, clause, points, area)


def points_for(state: FronelaState, event: object) -> Iterable[ev.PointsScored]:
    """The points for a kill, scored at once: one entry per unit, the highest that applies."""
    if not isinstance(event, ev.UnitsLost) or event.by not in state.tables.nations:
        return ()
    killer, victim = state.tables.nations[event.by], state.tables.nations[event.nation]
    if killer.seat == victim.seat:
        return ()
    best = max(
        (kill for kill in state.tables.kills if _applies(kill, killer, victim, event.kind)),
        key=lambda kill: kill.points,
        default=None,
    )
    if best is None:
        return ()
    return [score(state, killer.id, best.reason, "FRO-D34", best.points, event.area)] * event.count


def _applies(kill: Kill, killer: Nation, victim: Nation, unit: str) -> bool:
    if kill.by not in ("any", killer.kind, killer.id):
        return False
    return (not kill.of or unit in kill.of) and (not kill.kinds or victim.kind in kill.kinds)


def area_points(state: FronelaState, nation: Nation, area: str) -> int:
    """The value of holding the area in a scoring round (FRO-D33)."""
    points = nation.points.get(area, 0)
    if points > 1 and nation.kind == "malkioni" and state.tables.areas[area].terrain == "clear":
        return points if count(state.board[area][nation.id], "farmer") else 1
    return points


def area_entries(state: FronelaState) -> Iterable[ev.PointsScored]:
    """The area points of all nations at the end of a scoring round."""
    for nation in state.tables.nations.values():
        for area in held(state, nation.id):
            points = area_points(state, nation, area)
            if points:
                yield score(state, nation.id, "area", "FRO-D33", points, area)


def totals(state: FronelaState) -> dict[Seat, int]:
    """The points of each seat, summed over its nations (FRO-21)."""
    return {seat: sum([state.points[nation] for nation in nations]) for seat, nations in state.tables.seats.items()}


def outcome(state: FronelaState) -> Outcome | None:
    """The outcome: the most points win.

    Tied colors share the win and are listed by areas held (FRO-D25). None before the end.
    """
    if not state.ended:
        return None
    scores = totals(state)
    best = max(scores.values())
    lands = {seat: sum(len(areas_of(state, n)) for n in nations) for seat, nations in state.tables.seats.items()}
    winners = sorted((seat for seat, points in scores.items() if points == best), key=lambda seat: -lands[seat])
    return Outcome("history", "FRO-21", tuple(winners), scores)
