"""A single step of a group: its targets, who must stop, and refusals (FRO-07 to FRO-09, FRO-D12, FRO-D38)."""

from __future__ import annotations

from collections.abc import Sequence

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Go, March
from domain.games.fronela.episode_api.queries import Crossings, Steps
from domain.games.fronela.episode_api.registry import adjusted, bent_ways
from domain.games.fronela.episode_api.ways import bar, closed, forbidden, named
from domain.games.fronela.phases.malkioni import only_farmers
from domain.games.fronela.phases.movement.naming import NoSuchUnits, called, enough, some
from domain.games.fronela.scenarios.tables import GROUND, HARD, Nation, Scenario
from domain.games.fronela.state import FronelaState, Group, areas_of, groups, noted, others, size
from domain.kernel.errors import RuleViolation


class CannotMove(RuleViolation):
    """The units have no step left, or the area that they left or entered ended their move."""

    code = "cannot-move"
    rule = "FRO-07"


class NotAdjacent(RuleViolation):
    """The area is not adjacent, or is closed to the nation."""

    code = "not-adjacent"
    rule = "FRO-D39"


class NoEscort(RuleViolation):
    """Farmers, wizards and lords can enter another nation's area only with a unit that has a die."""

    code = "no-escort"
    rule = "FRO-D38"


class Forbidden(RuleViolation):
    """The history of Fronela forbids the move."""

    code = "forbidden"


# -- targets ----------------------------------------------------------------------------------------------------------


def _stayers(stack: Sequence[Group]) -> list[Group]:
    """The units that have ended their move."""
    return [group for group in stack if not group.left]


@noted
def guarded(state: FronelaState, who: str, kind: str) -> frozenset[str]:
    """Occupied areas that units of this kind cannot enter.

    They have no die, and no unit of their nation with a die has ended its move there (FRO-D38). A lord may enter if the
    others there are only farmers.
    """
    if state.tables.nations[who].units[kind].dice:
        return _NOWHERE
    areas = _unescorted(state, who)
    if kind != "lord":
        return areas
    garrisons = [(area, state.board[area].items()) for area in areas]
    return areas.difference(
        [area for area, stacks in garrisons if all(only_farmers(stack) for other, stack in stacks if other != who)]
    )


_NOWHERE: frozenset[str] = frozenset()


@noted
def _unescorted(state: FronelaState, who: str) -> frozenset[str]:
    """Occupied areas where no fighting unit of the nation has ended its move."""
    nation, board = state.tables.nations[who], state.board
    own = areas_of(state, who)
    escorted = [a for a in own if len(board[a]) == 1 or _armed(nation, _stayers(board[a][who]))]
    return frozenset(board.keys() - escorted)


def exits(state: FronelaState, nation: Nation, area: str, group: Group) -> Sequence[str]:
    """The areas to which a step of the group can lead, regardless of their occupants."""
    return bent_exits(state, nation.id, area, bool(group.came), group.ferried)


def bent_exits(state: FronelaState, who: str, area: str, moved: bool, ferried: bool) -> Sequence[str]:
    """As `exits`, for any group that has moved or been ferried in this turn. Its kind makes no difference."""
    if not bent_ways(state):
        return state.tables.nations[who].ways[area]
    return _bent_exits(state, who, area, moved, ferried)


@noted
def _bent_exits(state: FronelaState, who: str, area: str, moved: bool, ferried: bool) -> Sequence[str]:
    nation = state.tables.nations[who]
    group = Group(next(iter(nation.units)), 1, came=area if moved else "", ferried=ferried)
    crossings: tuple[str, ...] = adjusted(state, Crossings(who, area, group), ())
    reach = (*nation.ways[area], *(to for to in crossings if to not in nation.ways[area]))
    return [to for to in reach if not bar(state, who, area, to)]


def targets(state: FronelaState, nation: Nation, area: str, group: Group) -> Sequence[str]:
    """The areas to which one step of the group can lead."""
    reach, shut = exits(state, nation, area, group), guarded(state, nation.id, group.kind)
    return [to for to in reach if to not in shut] if shut else reach


# -- the step ---------------------------------------------------------------------------------------------------------


def ready(state: FronelaState, nation: Nation, command: March | Go) -> list[Group]:
    """The named groups that have steps left. Raises `NoSuchUnits` or `CannotMove`."""
    stack = groups(state, command.area, nation.id)
    if not stack:
        areas = list(areas_of(state, nation.id))
        sentence = f"There are no units of {nation.folk} in {named(state, command.area)}."
        raise NoSuchUnits(sentence, field="area", areas=areas, there=0, asked=command.count)
    meant = called(state, stack, command.unit, command.count)
    fresh = [group for group in meant if group.left]
    if not fresh:
        raise _spent(state, nation, command.area, meant[0])
    return fresh


def movers(state: FronelaState, nation: Nation, command: March) -> list[Group]:
    """The groups that take the step. Among units of one name, those with the most steps left. Raises the refusal that applies."""
    fresh = sorted(ready(state, nation, command), key=lambda group: -group.left)
    able = [group for group in fresh if command.to in targets(state, nation, command.area, group)]
    if not able:
        raise refusal(state, nation, fresh[0], command)
    enough(able, command.count)
    return list(some(able, command.count))


def step(state: FronelaState, nation: Nation, area: str, group: Group, to: str) -> ev.UnitsMarched:
    """The event of a step that has been checked."""
    ferried = to not in nation.ways[area]
    left = 0 if is_last(state.tables, nation, area) else group.left - 1
    halted = group.count if not left else _halted(state, nation, group.kind, to, group.count)
    return ev.UnitsMarched(
        nation.id,
        group.kind,
        group.count,
        area,
        to,
        halted,
        left,
        group.came,
        group.left,
        group.ferried,
        group.ferried or ferried,
    )


def is_last(tables: Scenario, nation: Nation, area: str) -> bool:
    """Whether a step out of the area is the last (FRO-09)."""
    return nation.leaving_ends and tables.areas[area].terrain in HARD


def can_pass(state: FronelaState, nation: Nation, area: str) -> bool:
    """Whether units need not stop in the area: no other nation is there, or enough units have stayed (FRO-D12)."""
    needed = _needed_to_pass(state, nation, area)
    if not needed:
        return True
    stay = _stayers(groups(state, area, nation.id))
    return size(stay) >= needed and _armed(nation, stay)


def _halted(state: FronelaState, nation: Nation, kind: str, to: str, number: int) -> int:
    """The number of entering units that must stop: until one more than the occupants have stayed (FRO-08, FRO-D12)."""
    needed = _needed_to_pass(state, nation, to)
    if not needed:
        return 0
    stay = _stayers(groups(state, to, nation.id))
    need = max(0, needed - size(stay))
    if not _armed(nation, stay):
        need = max(need, 1) if nation.units[kind].dice else number
    return min(number, need)


def _needed_to_pass(state: FronelaState, nation: Nation, area: str) -> int:
    """The number of units that must stay before others may pass: one more than the other nations' units (FRO-08)."""
    strangers = sum(size(groups(state, area, other)) for other in others(state, area, nation.id))
    return strangers + 1 if strangers else 0


def _armed(nation: Nation, stack: Sequence[Group]) -> bool:
    return any(nation.units[group.kind].dice for group in stack)


# -- refusals ---------------------------------------------------------------------------------------------------------


def _spent(state: FronelaState, nation: Nation, area: str, group: Group) -> CannotMove:
    """The refusal for a group without steps left."""
    if not group.came:
        if state.tables.areas[area].terrain == "sea":
            return CannotMove("The fleet lands after the other moves.", rule="FRO-D48", field="area", left=0)
        if nation.kind == "malkioni":
            sentence = "No Lord was with these units when the phase began."
            return CannotMove(sentence, rule="FRO-D53", field="unit", left=0, needed=1, there=0)
    elif nation.leaving_ends and state.tables.areas[group.came].terrain in HARD:
        # Holds even without other units in the area where they stopped.
        left = state.tables.areas[group.came]
        sentence = f"Leaving {left.name}, which is {GROUND[left.terrain]}, was the last step of these units."
        return CannotMove(sentence, rule="FRO-09", field="unit", left=0, came=group.came)
    elif adjusted(state, Steps(nation.id, group.kind), nation.units[group.kind].steps) > 1 and (
        needed := _needed_to_pass(state, nation, area)
    ):
        return _held(nation, _stayers(groups(state, area, nation.id)), needed)
    return CannotMove("These units have no step left.", field="unit", left=0)


def _held(nation: Nation, stay: Sequence[Group], needed: int) -> CannotMove:
    """The refusal for units that stopped in an occupied area and must stay so that others may pass (FRO-D12)."""
    there = size(stay)
    facts = {"left": 0, "needed": needed, "there": there, "missing": max(0, needed - there)}
    if there < needed:
        sentence = "These units stopped among others: more of yours must stay here before any pass (FRO-D12)."
    elif not _armed(nation, stay):
        sentence = "These units stopped among others: no unit with a die stays here (FRO-D12)."
        facts = {"left": 0, "needed": 1, "there": 0, "missing": 1}
    else:
        sentence = "These units stay here among others, and move no more (FRO-D12)."
    return CannotMove(sentence, rule="FRO-08", field="unit", **facts)


def refusal(state: FronelaState, nation: Nation, group: Group, command: March | Go) -> RuleViolation:
    """The refusal for a group with steps left that cannot get there."""
    to = command.to
    crossings: tuple[str, ...] = adjusted(state, Crossings(nation.id, command.area, group), ())
    areas = list(dict.fromkeys((*nation.ways[command.area], *crossings)))
    if to not in areas:
        if to in state.tables.areas[command.area].adjacent:
            return NotAdjacent(closed(state, nation, to), field="to", areas=areas)
        rule = "FRO-07" if to in state.tables.areas else "FRO-D39"
        sentence = f"{named(state, to)} is not next to {named(state, command.area)}."
        return NotAdjacent(sentence[:1].upper() + sentence[1:], rule=rule, field="to", areas=areas)
    if clause := bar(state, nation.id, command.area, to):
        open_ = list(targets(state, nation, command.area, group))
        return Forbidden(forbidden(state, nation.id, command.area, to), rule=clause, field="to", areas=open_)
    sentence = f"Other nations are in {named(state, to)}. These units can enter it only together with a unit of theirs that has a die."
    return NoEscort(sentence, field="to", needed=1, there=0)
