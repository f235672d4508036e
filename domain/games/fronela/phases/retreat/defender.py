"""The defender leaves: before the first roll or after a round, by standing orders or by choice (FRO-11, FRO-16)."""

# ruff: noqa: ARG002 - questions do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.games.fronela.commands import Done, Retreat
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.queries import SpecialRetreat
from domain.games.fronela.episode_api.registry import adjusted, seat_of
from domain.games.fronela.phases.battlefield import holds_out, standing
from domain.games.fronela.phases.movement.naming import name
from domain.games.fronela.phases.retreat.ways import (
    havens,
    leave,
    options,
    refuge,
    some_leave,
    special_ways,
    ways_of,
    ways_out,
)
from domain.games.fronela.state import AreaBattle, FronelaState, orders_in_silence
from domain.kernel.terms import Option, Seat


def special_retreat(decision: FronelaDecision, _: str) -> None:
    """Before the first roll, some nations may leave (FRO-11, FRO-D42)."""
    battle = standing(decision.state)
    if battle is None or decision.state.fought.get(battle.area):
        return
    wary = battle.area in decision.state.tables.nations[battle.defender].wary
    if adjusted(decision.state, SpecialRetreat(battle.defender, battle.area, battle.attacker), wary):
        _offer(decision, battle, "special_retreat", "FRO-11")


def defender_retreat(decision: FronelaDecision, _: str) -> None:
    """After every battle round, the defender decides first (FRO-D15)."""
    battle = standing(decision.state)
    if battle is not None:
        _offer(decision, battle, "retreat", "FRO-16")


def _offer(decision: FronelaDecision, battle: AreaBattle, kind: str, clause: str) -> None:
    state = decision.state
    who, area = battle.defender, battle.area
    safe = havens(state, who, area)
    if not ways_of(state, kind, who, area, safe):
        return
    stance = state.orders[who].stance if who in state.orders else ""
    if stance:
        if not holds_out(state, battle, stance):
            _all_leave(decision, kind, who, area, safe)
        return
    decision.ask(seat_of(state, who), kind, clause, nation=who, area=area, havens=safe)


def _all_leave(decision: FronelaDecision, kind: str, who: str, area: str, safe: Sequence[str]) -> None:
    while ways := ways_of(decision.state, kind, who, area, safe):
        group, reach = ways[0]
        why = "special" if kind == "special_retreat" else "chosen"
        leave(decision, who, area, group, refuge(decision.state, who, reach, safe), why)


class Leaving(FronelaQuestionKind):
    """Some or all of the defender's units may leave. Units that are not named in a command stay."""

    commands = (Retreat, Done)
    several = True

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        asking = state.asking
        assert asking is not None
        ways = ways_of(state, self._kind, asking.nation, asking.area, asking.havens)
        return [*options(state, ways), Option("done")]

    def usual(self, state: FronelaState) -> Any:
        asking, battle = state.asking, state.battle
        assert asking is not None
        assert battle is not None
        ways = ways_of(state, self._kind, asking.nation, asking.area, asking.havens)
        stance = orders_in_silence(state, asking.nation).stance or "retreat_if_outnumbered"
        if not ways or holds_out(state, battle, stance):
            return Done()
        group, reach = ways[0]
        return Retreat(name(state, group), refuge(state, asking.nation, reach, asking.havens), group.count)

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        asking = decision.state.asking
        assert asking is not None
        if isinstance(command, Done):
            decision.close()
            return
        why = "special" if self._kind == "special_retreat" else "chosen"
        ways = special_ways if self._kind == "special_retreat" else ways_out
        some_leave(decision, asking.nation, command, ways, why)
        if not ways_of(decision.state, self._kind, asking.nation, asking.area, asking.havens):
            decision.close()
