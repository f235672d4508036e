"""The attacker leaves: after a round, or by force (FRO-16, FRO-17, FRO-D05)."""

# ruff: noqa: ARG002 - questions do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Retreat
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.phases.battlefield import attackers_outnumbered, standing
from domain.games.fronela.phases.movement.naming import name
from domain.games.fronela.phases.retreat.ways import (
    NoRefuge,
    havens,
    leave,
    options,
    refuge,
    some_leave,
    ways_of,
    ways_out,
)
from domain.games.fronela.state import NO_ORDERS, NOBODY, FronelaState, Group, Orders, groups, orders_in_silence
from domain.kernel.terms import Option, Seat

IF_OUTNUMBERED, ALWAYS = "if_outnumbered", "always"
"""Standing orders of attackers (FRO-D61). Without one, the player is asked."""


def withdraws(state: FronelaState, orders: Orders) -> bool:
    """Whether orders withdraw the attackers of the battle round that was just fought."""
    battle = standing(state)
    if battle is None or not orders.withdrawal or not state.fought.get(battle.area):
        return False
    return orders.withdrawal == ALWAYS or attackers_outnumbered(state, battle)


def withdraw(decision: FronelaDecision) -> bool:
    """Withdraw all attackers that can leave after a round, by standing orders. Returns whether any did."""
    state = decision.state
    if state.battle is None or not withdraws(state, state.orders.get(state.battle.attacker, NO_ORDERS)):
        return False
    area, nation = state.battle.area, state.battle.attacker
    safe = havens(state, nation, area)
    while ways := ways_of(decision.state, "retreat", nation, area, safe):
        group, reach = ways[0]
        leave(decision, nation, area, group, refuge(decision.state, nation, reach, safe), "chosen")
    return decision.state is not state


def usual_retreat(state: FronelaState) -> Retreat | None:
    """The next retreat on a timeout, if orders given while the question was pending require it (FRO-D55); None otherwise."""
    ways = window(state)
    if not ways or not withdraws(state, orders_in_silence(state, state.turn)):
        return None
    assert state.asking is not None
    group, reach = ways[0]
    return Retreat(name(state, group), refuge(state, state.turn, reach, state.asking.havens), group.count)


def window(state: FronelaState) -> list[tuple[Group, list[str]]]:
    """The attackers that may leave after the round just fought, each with its possible areas."""
    asking, battle = state.asking, state.battle
    assert asking is not None
    if battle is None or not asking.area or len(state.board.get(asking.area, NOBODY)) < 2:
        return []
    if not state.fought.get(asking.area):
        return []
    return ways_of(state, "retreat", battle.attacker, asking.area, asking.havens)


def attackers_options(state: FronelaState) -> list[Option]:
    """Options for the attackers that may leave after the round just fought."""
    return options(state, window(state))


def attackers_leave(decision: FronelaDecision, command: Retreat) -> None:
    """Some attackers of the last battle round leave. Raises `NoRefuge` if they cannot."""
    state = decision.state
    asking, battle = state.asking, state.battle
    assert asking is not None
    if battle is None or not window(state):
        raise NoRefuge(
            "None of your units can leave a battle now: attackers go back after a round, to where they came from.",
            rule="FRO-16",
        )
    some_leave(decision, battle.attacker, command, ways_out, "chosen")


def rout(decision: FronelaDecision, area: str, clause: str) -> None:
    """Force all attackers to leave the way they came; others are lost.

    Units that appeared there may go to any open area.
    """
    state = decision.state
    nation = state.turn
    safe = havens(state, nation, area)
    for group in groups(state, area, nation):
        reach = ways_out(state, nation, area, group, safe)
        if not reach:
            decision.happen(
                ev.UnitsLost(nation, area, group.kind, group.count, group.came, group.fled, "", "no-retreat")
            )
        elif len(reach) == 1:
            leave(decision, nation, area, group, reach[0], "forced")
    if groups(decision.state, area, nation):
        decision.first(":".join(("rout", area, clause, *safe)))


def must_choose(decision: FronelaDecision, about: str) -> None:
    """Ask for the destination of units that have several."""
    area, clause, *safe = about.split(":")
    nation = decision.state.turn
    if groups(decision.state, area, nation):
        decision.ask(seat_of(decision.state, nation), "rout", clause, nation=nation, area=area, havens=tuple(safe))


class Rout(FronelaQuestionKind):
    """All units must leave. The owner chooses only the destination."""

    commands = (Retreat,)
    several = True

    def _ways(self, state: FronelaState) -> list[tuple[Group, list[str]]]:
        assert state.asking is not None
        return ways_of(state, "retreat", state.asking.nation, state.asking.area, state.asking.havens)

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return options(state, self._ways(state))

    def usual(self, state: FronelaState) -> Any:
        assert state.asking is not None
        group, reach = self._ways(state)[0]
        return Retreat(name(state, group), refuge(state, state.asking.nation, reach, state.asking.havens), group.count)

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        asking = decision.state.asking
        assert asking is not None
        some_leave(decision, asking.nation, command, ways_out, "forced")
        if not groups(decision.state, asking.area, asking.nation):
            decision.close()
