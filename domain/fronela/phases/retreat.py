"""Leaving a battle: before the first roll, after a round, or because one must (FRO-11, FRO-16 to FRO-18)."""

# ruff: noqa: ARG002 - a question is handed who is asked, whether it needs it or not

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from domain.errors import RuleViolation
from domain.fronela import events as ev
from domain.fronela.commands import Done, Retreat
from domain.fronela.episode.decision import Decision, QuestionKind
from domain.fronela.episode.queries import SpecialRetreat
from domain.fronela.episode.registry import adjusted, seat_of
from domain.fronela.episode.ways import bar, named, no_way
from domain.fronela.phases.battlefield import holds_out, standing
from domain.fronela.phases.movement.naming import NoSuchUnits, by_name, called, enough, name, shared, some
from domain.fronela.state import NOBODY, Battle, Group, State, groups, orders_in_silence
from domain.terms import Integer, OneOf, Option, Seat

_Ways = Callable[[State, str, str, Group, Sequence[str]], list[str]]
"""Where a group of a nation in an area may retreat to."""


class NoRefuge(RuleViolation):
    """These units cannot retreat to this area."""

    code = "no-refuge"
    rule = "FRO-D35"


def is_open(state: State, nation: str, area: str) -> bool:
    """Whether the area is empty, or own units stand there, even in battle (FRO-18)."""
    garrison = state.board.get(area, NOBODY)
    return not garrison or nation in garrison


def havens(state: State, nation: str, area: str) -> tuple[str, ...]:
    """Where own units stand that farmers of the area could join (FRO-D35)."""
    around = dict.fromkeys(state.tables.areas[area].adjacent)
    around |= dict.fromkeys(group.came for group in groups(state, area, nation) if group.came)
    return tuple(to for to in around if groups(state, to, nation))


def ways_out(state: State, nation: str, area: str, group: Group, safe: Sequence[str]) -> list[str]:
    """Where the group may retreat to: attackers the way they came, others to any open area next to it."""
    if group.fled:
        return []
    if group.came:
        reach: Iterable[str] = (group.came,)
    else:
        tables = state.tables
        reach = (to for to in tables.nations[nation].ways[area] if tables.areas[to].terrain != "sea")
    return [
        to
        for to in reach
        if is_open(state, nation, to) and (group.kind != "farmer" or to in safe) and not bar(state, nation, area, to)
    ]


def special_ways(state: State, nation: str, area: str, group: Group, safe: Sequence[str]) -> list[str]:
    """The same for a special retreat, which may have to lead to an empty area of one terrain (FRO-D42)."""
    areas = ways_out(state, nation, area, group, safe)
    terrain = state.tables.nations[nation].wary_to
    if not terrain:
        return areas
    return [to for to in areas if state.tables.areas[to].terrain == terrain and to not in state.board]


def leave(decision: Decision, nation: str, area: str, group: Group, to: str, why: str) -> None:
    """The units of the group go."""
    decision.happen(ev.UnitsRetreated(nation, area, group.kind, group.count, group.came, to, why))


# -- the defender -----------------------------------------------------------------------------------------------------


def special_retreat(decision: Decision, _: str) -> None:
    """Before the first roll some nations may slip away (FRO-11, FRO-D42)."""
    battle = standing(decision.state)
    if battle is None or decision.state.fought.get(battle.area):
        return
    wary = battle.area in decision.state.tables.nations[battle.defender].wary
    if adjusted(decision.state, SpecialRetreat(battle.defender, battle.area, battle.attacker), wary):
        _offer(decision, battle, "special_retreat", "FRO-11")


def defender_retreat(decision: Decision, _: str) -> None:
    """After every battle round the defender decides first (FRO-D15)."""
    battle = standing(decision.state)
    if battle is not None:
        _offer(decision, battle, "retreat", "FRO-16")


def _offer(decision: Decision, battle: Battle, kind: str, clause: str) -> None:
    state = decision.state
    who, area = battle.defender, battle.area
    safe = havens(state, who, area)
    if not _ways(state, kind, who, area, safe):
        return
    stance = state.orders[who].stance if who in state.orders else ""
    if stance:
        if not holds_out(state, battle, stance):
            _all_leave(decision, kind, who, area, safe)
        return
    decision.ask(seat_of(state, who), kind, clause, nation=who, area=area, havens=safe)


def _ways(state: State, kind: str, who: str, area: str, safe: Sequence[str]) -> list[tuple[Group, list[str]]]:
    ways = special_ways if kind == "special_retreat" else ways_out
    return [(group, to) for group in groups(state, area, who) if (to := ways(state, who, area, group, safe))]


def _all_leave(decision: Decision, kind: str, who: str, area: str, safe: Sequence[str]) -> None:
    while ways := _ways(decision.state, kind, who, area, safe):
        group, reach = ways[0]
        why = "special" if kind == "special_retreat" else "chosen"
        leave(decision, who, area, group, refuge(decision.state, who, reach, safe), why)


def refuge(state: State, nation: str, reach: Sequence[str], safe: Sequence[str]) -> str:
    """The best of these: by standing orders, else beside own units, else the first of 6.2."""
    wished = state.orders[nation].refuges if nation in state.orders else ()
    for area in (*wished, *safe):
        if area in reach:
            return area
    return reach[0]


class Leaving(QuestionKind):
    """Some or all of the defender's units may go; units that no command names stay."""

    commands = (Retreat, Done)
    several = True

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def legal(self, state: State, seat: Seat) -> Sequence[Option]:
        asking = state.asking
        assert asking is not None
        ways = _ways(state, self._kind, asking.nation, asking.area, asking.havens)
        return [*_options(state, ways), Option("done")]

    def usual(self, state: State) -> Any:
        asking, battle = state.asking, state.battle
        assert asking is not None
        assert battle is not None
        ways = _ways(state, self._kind, asking.nation, asking.area, asking.havens)
        stance = orders_in_silence(state, asking.nation).stance or "retreat_if_outnumbered"
        if not ways or holds_out(state, battle, stance):
            return Done()
        group, reach = ways[0]
        return Retreat(name(state, group), refuge(state, asking.nation, reach, asking.havens), group.count)

    def answer(self, decision: Decision, seat: Seat, command: Any) -> None:
        asking = decision.state.asking
        assert asking is not None
        if isinstance(command, Done):
            decision.close()
            return
        why = "special" if self._kind == "special_retreat" else "chosen"
        ways = special_ways if self._kind == "special_retreat" else ways_out
        _some_leave(decision, asking.nation, command, ways, why)
        if not _ways(decision.state, self._kind, asking.nation, asking.area, asking.havens):
            decision.close()


def _options(state: State, ways: Iterable[tuple[Group, Sequence[str]]]) -> list[Option]:
    reach = dict(ways)
    return [
        Option("retreat", {"unit": unit}, (OneOf("to", tuple(to)), Integer("count", 1, number)))
        for unit, meant in by_name(state, reach).items()
        for number, to in shared((group, reach[group]) for group in meant).items()
    ]


def _some_leave(decision: Decision, nation: str, command: Retreat, ways: _Ways, why: str) -> None:
    """So many units that are called so go, of those who can: raises the refusal that forbids it."""
    state, asking = decision.state, decision.state.asking
    assert asking is not None
    area = asking.area
    try:
        meant = called(state, groups(state, area, nation), command.unit, command.count)
        reach = {group: ways(state, nation, area, group, asking.havens) for group in meant}
        able = [group for group in meant if command.to in reach[group]]
        if not able:
            group = next((group for group in meant if not group.fled), meant[0])
            raise _refusal(state, nation, group, command.to, reach[group])
        enough(able, command.count)
    except NoSuchUnits as violation:
        violation.rule = "FRO-16"
        raise
    for group in some(able, command.count):
        leave(decision, nation, area, group, command.to, why)


def _refusal(state: State, nation: str, group: Group, to: str, reach: Sequence[str]) -> NoRefuge:
    if group.fled:
        sentence = "These units have retreated once in this combat phase already."
        return NoRefuge(sentence, rule="FRO-D36", field="unit")
    if group.came and to != group.came:
        sentence = f"Attackers go back only where they came from: to {named(state, group.came)}."
        return NoRefuge(sentence, rule="FRO-17", field="to", came=group.came)
    if group.kind == "farmer" and is_open(state, nation, to):
        return NoRefuge("Farmers only join units of yours.", rule="FRO-D17", field="to", areas=list(reach))
    assert state.asking is not None
    sentence = no_way(state, state.tables.nations[nation], state.asking.area, to)
    return NoRefuge(sentence, rule="FRO-18", field="to", areas=list(reach))


# -- the attacker -----------------------------------------------------------------------------------------------------


def _window(state: State) -> list[tuple[Group, list[str]]]:
    asking, battle = state.asking, state.battle
    assert asking is not None
    if battle is None or not asking.area or len(state.board.get(asking.area, NOBODY)) < 2:
        return []
    if not state.fought.get(asking.area):
        return []
    return _ways(state, "retreat", battle.attacker, asking.area, asking.havens)


def attackers_options(state: State) -> list[Option]:
    """Attackers who may go back after the round that was just fought."""
    return _options(state, _window(state))


def attackers_leave(decision: Decision, command: Retreat) -> None:
    """Some attackers of the last battle round go back; raises `NoRefuge` if they cannot."""
    state = decision.state
    asking, battle = state.asking, state.battle
    assert asking is not None
    if battle is None or not _window(state):
        raise NoRefuge(
            "None of your units can leave a battle now: attackers go back after a round, to where they came from.",
            rule="FRO-16",
        )
    _some_leave(decision, battle.attacker, command, ways_out, "chosen")


def rout(decision: Decision, area: str, clause: str) -> None:
    """All attackers must go: the way they came, or they are lost; units that appeared in the area may go to any open one."""
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


def must_choose(decision: Decision, about: str) -> None:
    """Ask where those go who have several places to go to."""
    area, clause, *safe = about.split(":")
    nation = decision.state.turn
    if groups(decision.state, area, nation):
        decision.ask(seat_of(decision.state, nation), "rout", clause, nation=nation, area=area, havens=tuple(safe))


class Rout(QuestionKind):
    """Everybody must go; the owner only says where to."""

    commands = (Retreat,)
    several = True

    def _ways(self, state: State) -> list[tuple[Group, list[str]]]:
        assert state.asking is not None
        return _ways(state, "retreat", state.asking.nation, state.asking.area, state.asking.havens)

    def legal(self, state: State, seat: Seat) -> Sequence[Option]:
        return _options(state, self._ways(state))

    def usual(self, state: State) -> Any:
        assert state.asking is not None
        group, reach = self._ways(state)[0]
        return Retreat(name(state, group), refuge(state, state.asking.nation, reach, state.asking.havens), group.count)

    def answer(self, decision: Decision, seat: Seat, command: Any) -> None:
        asking = decision.state.asking
        assert asking is not None
        _some_leave(decision, asking.nation, command, ways_out, "forced")
        if not groups(decision.state, asking.area, asking.nation):
            decision.close()
