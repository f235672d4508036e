"""The public and private views: everything is public except the standing orders of others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from domain.games.fronela.phases.battlefield import standing
from domain.games.fronela.phases.movement.naming import name
from domain.games.fronela.phases.scoring import area_points, totals
from domain.games.fronela.readers.naming import NAMES
from domain.games.fronela.scenarios import SCENARIOS, outline
from domain.games.fronela.scenarios.tables import COLOURS
from domain.games.fronela.state import NO_ORDERS, NOBODY, Entry, FronelaState, Garrison, Group, counted, newest, noted
from domain.games.fronela.turn import orders
from domain.kernel.terms import Seat


def public(state: FronelaState) -> dict[str, Any]:
    """The board: areas with their units, nations, persons, honors, points, and the pending question.

    Constants of the game are included: the map, the units of each kind of nation (``kinds``), and the value of areas to
    each nation (``values``).
    """
    row = state.tables.rounds[state.round]
    return {
        "scenario": state.scenario,
        "round": state.round,
        "rounds": state.tables.last,
        "title": row.title,
        "years": row.years,
        "order": list(state.order),
        "place": state.place,
        "turn": state.turn,
        "phase": state.asking.kind if state.asking is not None else "",
        "scoring": _scoring(state),
        "areas": _areas(state),
        "groups": _groups(state),
        "nations": _nations(state),
        "kinds": outline.kinds(state.scenario),
        "arrivals": _arrivals(state),
        "persons": _persons(state),
        "tokens": [
            {"id": token, "name": NAMES.get(token, token), "nation": nation}
            for token, nation in sorted(state.tokens.items())
        ],
        "battle": _battle(state),
        "points": {str(seat): points for seat, points in totals(state).items()},
        "ledger": _ledger(state),
    }


_NEVER: tuple[None, Any] = (None, None)
"""The source of a part and the part itself, before it is first built."""


class _Ground(NamedTuple):
    """The public view of one area."""

    shown: dict[str, Any]
    """The area itself with its units."""
    worth: int
    """The points that its holder would score now (FRO-D33)."""
    groups: list[dict[str, Any]]
    """Units that can still move, came from elsewhere in this turn, or have retreated in this combat phase."""


@noted
def _grounds(state: FronelaState) -> list[_Ground]:
    """Every area of the map, in order. Unchanged areas are reused."""
    board, known = state.board, newest(state, _grounds)
    grounds = []
    for fixed in outline.areas(state.scenario):
        area = fixed["id"]
        garrison = board.get(area, NOBODY)
        of, ground = known.get(area, _NEVER)
        if of is not garrison:
            ground = _look(state, fixed, garrison)
            known[area] = garrison, ground
        grounds.append(ground)
    return grounds


def _look(state: FronelaState, fixed: dict[str, Any], garrison: Garrison) -> _Ground:
    stacks = sorted(garrison.items())
    shown = {**fixed, "units": {nation: counted(stack) for nation, stack in stacks}}
    holder = state.tables.nations[stacks[0][0]] if len(stacks) == 1 else None
    worth = area_points(state, holder, fixed["id"]) if holder is not None else 0
    groups = [
        _group(state, fixed["id"], nation, group)
        for nation, stack in stacks
        for group in stack
        if group.left or group.came or group.fled
    ]
    return _Ground(shown, worth, groups)


def _group(state: FronelaState, area: str, nation: str, group: Group) -> dict[str, Any]:
    return {
        "area": area,
        "nation": nation,
        "unit": name(state, group),
        "kind": group.kind,
        "count": group.count,
        "left": group.left,
        "came": group.came,
        "ferried": group.ferried,
        "fled": group.fled,
    }


@noted
def _areas(state: FronelaState) -> list[dict[str, Any]]:
    return [ground.shown for ground in _grounds(state)]


@noted
def _groups(state: FronelaState) -> list[dict[str, Any]]:
    return [group for ground in _grounds(state) for group in ground.groups]


@noted
def _worth(state: FronelaState) -> dict[str, int]:
    """The points that each area would bring its holder if this round scored (FRO-D33). Zeros are omitted."""
    return {ground.shown["id"]: ground.worth for ground in _grounds(state) if ground.worth}


def _scoring(state: FronelaState) -> dict[str, Any]:
    """The scoring rounds, and the points that each area would bring its holder now (FRO-D33)."""
    rounds = outline.scoring(state.scenario)
    coming = [number for number in rounds if number >= state.round and not state.ended]
    return {"rounds": rounds, "next": coming[0] if coming else None, "now": _worth(state)}


def _arrivals(state: FronelaState) -> list[dict[str, Any]]:
    """Future arrivals, including the rest of this round. ``@`` means the area with most of the nation's units (FRO-D14)."""
    coming = state.order[state.place + 1 :]
    if state.asking is not None and "new_units" in state.asking.agenda:
        coming = (state.turn, *coming)
    return _listed(state.scenario, state.round, coming)


@lru_cache(maxsize=2048)
def _listed(scenario: str, round_: int, coming: tuple[str, ...]) -> list[dict[str, Any]]:
    """Arrivals of later rounds, and in this round those of nations that have not yet had their turn."""
    return [
        {"round": number, "nation": row.nation, "units": dict(row.units), "where": list(row.where)}
        for number, rows in SCENARIOS[scenario].arrivals.items()
        for row in rows
        if number > round_ or (number == round_ and row.nation in coming)
    ]


def _nations(state: FronelaState) -> list[dict[str, Any]]:
    """Every nation. Unchanged ones are reused."""
    areas = dict.fromkeys(state.tables.nations, 0)
    for garrison in state.board.values():
        for nation in garrison:
            areas[nation] += 1
    known, nations = newest(state, _nations), []
    for nation, fixed in outline.nations(state.scenario).items():
        pool, land, points = state.pool[nation], areas[nation], state.points[nation]
        of, shown = known.get(nation, _NEVER)
        if of is not pool or shown["areas"] != land or shown["points"] != points:
            counters = {kind: pool[kind] for kind in fixed["counters"]}
            shown = {**fixed, "pool": counters, "areas": land, "points": points}
            known[nation] = pool, shown
        nations.append(shown)
    return nations


def _persons(state: FronelaState) -> list[dict[str, Any]]:
    return [
        {"id": key, "name": NAMES.get(key, key), "area": person.area}
        for key, person in sorted(state.persons.items())
        if not person.gone
    ]


def _battle(state: FronelaState) -> dict[str, Any] | None:
    """The newest battle round, until its area is settled; None between battles."""
    battle = state.battle
    if battle is None or not (standing(state) or battle.dealt or battle.suffered):
        return None
    return {
        "area": battle.area,
        "attacker": battle.attacker,
        "defender": battle.defender,
        "rounds": state.fought.get(battle.area, 0),
        "bends": [{"side": bend.side, "die": bend.die, "by": bend.by} for bend in battle.bends],
        "dealt": battle.dealt,
        "suffered": battle.suffered,
    }


def _ledger(state: FronelaState) -> list[dict[str, Any]]:
    """The ledger, with one line per round, nation and reason."""
    known = newest(state, _ledger)
    shown: list[dict[str, Any]]
    of, shown = known.get("", _NEVER)
    if of is not state.ledger:
        shown = _lines(state.ledger)
        known[""] = state.ledger, shown
    return shown


def _lines(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    lines: dict[tuple[int, str, str, str], int] = {}
    for entry in entries:
        key = (entry.round, entry.nation, entry.reason, entry.clause)
        lines[key] = lines.get(key, 0) + entry.points
    return [
        {"round": number, "nation": nation, "reason": reason, "clause": clause, "points": points}
        for (number, nation, reason, clause), points in lines.items()
    ]


def private(state: FronelaState, seat: Seat) -> dict[str, Any]:
    """The seat's color and its standing orders."""
    known = newest(state, private)
    shown: dict[str, Any]
    of, shown = known.get(seat, _NEVER)
    if of is not state.orders:
        nations = state.tables.seats.get(seat, ())
        shown = {
            "colour": COLOURS[seat - 1] if nations else "",
            "orders": {nation: orders.as_json(state.orders.get(nation, NO_ORDERS)) for nation in nations},
        }
        known[seat] = state.orders, shown
    return shown
