"""The move phase, one step of one group at a time (FRO-07 to FRO-09, FRO-D10 to FRO-D12, FRO-D38)."""

# ruff: noqa: ARG002 - a hook takes what its socket gives, whether it needs it or not

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.errors import RuleViolation
from domain.fronela import events as ev
from domain.fronela.commands import Done, March
from domain.fronela.episode.decision import Decision, QuestionKind
from domain.fronela.episode.queries import Crossings, Steps
from domain.fronela.episode.registry import adjusted, live
from domain.fronela.episode.ways import bar, closed, forbidden, named
from domain.fronela.phases.battlefield import contested
from domain.fronela.phases.malkioni import may_move, only_farmers
from domain.fronela.phases.overpopulation import excess
from domain.fronela.scenarios.tables import GROUND, HARD, Nation
from domain.fronela.state import NOBODY, Group, State, areas_of, groups, label, others, size
from domain.terms import Integer, OneOf, Option, Seat


class NoSuchUnits(RuleViolation):
    """Units that are not there, or fewer than asked for."""

    code = "no-such-units"
    rule = "FRO-07"


class CannotMove(RuleViolation):
    """These units have no step left: used up, ended by what they left or entered, or never given."""

    code = "cannot-move"
    rule = "FRO-07"


class NotAdjacent(RuleViolation):
    """The area is not next to the other, or closed to the nation."""

    code = "not-adjacent"
    rule = "FRO-D39"


class NoEscort(RuleViolation):
    """Farmers, wizards and lords enter another nation's area only beside a unit with a die."""

    code = "no-escort"
    rule = "FRO-D38"


class Forbidden(RuleViolation):
    """History forbids this step."""

    code = "forbidden"


def ready(decision: Decision, _: str) -> None:
    """The move phase begins: see who may move how far, and ask if anybody can (FRO-D21)."""
    state = decision.state
    nation = state.tables.nations[state.turn]
    far = {kind: adjusted(state, Steps(nation.id, kind), unit.steps) for kind, unit in nation.units.items()}
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
    if any(_marches(decision.state, nation)):
        decision.ask(nation.seat, "move", "FRO-07", nation=nation.id)


def moves_end(decision: Decision, _: str) -> None:
    decision.happen(ev.MovesEnded(decision.state.turn))


# -- where to ---------------------------------------------------------------------------------------------------------


def _stayers(stack: Sequence[Group]) -> list[Group]:
    """Units that have ended their move."""
    return [group for group in stack if not group.left]


def escorted(state: State, nation: Nation, kind: str, to: str) -> bool:
    """Whether a unit of this kind may come to where other nations stand, or nobody else does (FRO-D38)."""
    strangers = others(state, to, nation.id)
    if not strangers or nation.units[kind].dice:
        return True
    if any(nation.units[group.kind].dice for group in _stayers(groups(state, to, nation.id))):
        return True
    return kind == "lord" and all(only_farmers(groups(state, to, other)) for other in strangers)


def targets(state: State, nation: Nation, area: str, group: Group) -> list[str]:
    """The areas that one step of the group can lead to."""
    reach: Sequence[str] = nation.ways[area]
    barred = live(state)
    if barred:
        crossings: tuple[str, ...] = adjusted(state, Crossings(nation.id, area, group), ())
        reach = (*reach, *(to for to in crossings if to not in reach))
    board, dice, own = state.board, nation.units[group.kind].dice, nation.id
    areas = []
    for to in reach:
        there = board.get(to, NOBODY)
        if there and not dice and (len(there) > 1 or own not in there) and not escorted(state, nation, group.kind, to):
            continue
        if barred and bar(state, own, area, to):
            continue
        areas.append(to)
    return areas


def _marches(state: State, nation: Nation) -> list[Option]:
    options = []
    for area in areas_of(state, nation.id):
        for group in state.board[area][nation.id]:
            if group.left and (reach := targets(state, nation, area, group)):
                fixed = {"area": area, "unit": label(group)}
                options.append(Option("march", fixed, (OneOf("to", tuple(reach)), Integer("count", 1, group.count))))
    return options


# -- the step ---------------------------------------------------------------------------------------------------------


def find(stack: Sequence[Group], unit: str, number: int) -> Group:
    """The group that a client calls so, with at least so many units; raises `NoSuchUnits`."""
    for group in stack:
        if label(group) == unit:
            if not 1 <= number <= group.count:
                sentence = (
                    "At least 1 unit has to be named." if number < 1 else f"There {_so_many(group.count)} of them."
                )
                raise NoSuchUnits(sentence, field="count", least=1, most=group.count, asked=number)
            return group
    units = [label(group) for group in stack]
    sentence = f"No units here are called so; there {'is' if len(units) == 1 else 'are'}: {', '.join(units)}."
    raise NoSuchUnits(sentence, field="unit", units=units, there=0, asked=number)


def _so_many(number: int) -> str:
    return "is only 1" if number == 1 else f"are only {number}"


def step(state: State, nation: Nation, command: March) -> ev.UnitsMarched:
    """The step as it happens; raises the refusal that forbids it."""
    stack = groups(state, command.area, nation.id)
    if not stack:
        areas = areas_of(state, nation.id)
        sentence = f"There are no units of {nation.folk} in {named(state, command.area)}."
        raise NoSuchUnits(sentence, field="area", areas=areas, there=0, asked=command.count)
    group = find(stack, command.unit, command.count)
    if not group.left:
        raise _spent(state, nation, command.area, group)
    reach = targets(state, nation, command.area, group)
    if command.to not in reach:
        raise _refusal(state, nation, group, command)
    ferried = command.to not in nation.ways[command.area]
    left = group.left - 1
    if nation.leaving_ends and state.tables.areas[command.area].terrain in HARD:
        left = 0
    halted = command.count if not left else _halted(state, nation, group.kind, command.to, command.count)
    return ev.UnitsMarched(
        nation.id,
        group.kind,
        command.count,
        command.area,
        command.to,
        halted,
        left,
        group.came,
        group.left,
        group.ferried,
        group.ferried or ferried,
    )


def _halted(state: State, nation: Nation, kind: str, to: str, number: int) -> int:
    """How many of those who enter must stop: until one more than the occupants stays (FRO-08, FRO-D12)."""
    needed = _needed_to_pass(state, nation, to)
    if not needed:
        return 0
    stay = _stayers(groups(state, to, nation.id))
    need = max(0, needed - size(stay))
    if not _armed(nation, stay):
        need = max(need, 1) if nation.units[kind].dice else number
    return min(number, need)


def _needed_to_pass(state: State, nation: Nation, area: str) -> int:
    """How many units must stay in the area before more may pass: one more than the others there (FRO-08)."""
    strangers = sum(size(groups(state, area, other)) for other in others(state, area, nation.id))
    return strangers + 1 if strangers else 0


def _armed(nation: Nation, stack: Sequence[Group]) -> bool:
    """Whether one of them has a combat die."""
    return any(nation.units[group.kind].dice for group in stack)


# -- why not ----------------------------------------------------------------------------------------------------------


def _spent(state: State, nation: Nation, area: str, group: Group) -> CannotMove:
    """Why a group has no step left."""
    if not group.came:
        if state.tables.areas[area].terrain == "sea":
            return CannotMove("The fleet lands after the other moves.", rule="FRO-D48", field="area", left=0)
        if nation.kind == "malkioni":
            sentence = "No Lord was with these units when the phase began."
            return CannotMove(sentence, rule="FRO-D53", field="unit", left=0, needed=1, there=0)
    elif nation.leaving_ends and state.tables.areas[group.came].terrain in HARD:
        # Whether or not others are where they stopped.
        left = state.tables.areas[group.came]
        sentence = f"Leaving {left.name}, which is {GROUND[left.terrain]}, was the last step of these units."
        return CannotMove(sentence, rule="FRO-09", field="unit", left=0, came=group.came)
    elif adjusted(state, Steps(nation.id, group.kind), nation.units[group.kind].steps) > 1 and (
        needed := _needed_to_pass(state, nation, area)
    ):
        return _held(nation, _stayers(groups(state, area, nation.id)), needed)
    return CannotMove("These units have no step left.", field="unit", left=0)


def _held(nation: Nation, stay: Sequence[Group], needed: int) -> CannotMove:
    """Why units that entered an area of others have no step left: they must stay so that others of theirs may pass (FRO-D12)."""
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


def _refusal(state: State, nation: Nation, group: Group, command: March) -> RuleViolation:
    """Why a group that may still move does not get there."""
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
        open_ = targets(state, nation, command.area, group)
        return Forbidden(forbidden(state, nation.id, command.area, to), rule=clause, field="to", areas=open_)
    sentence = f"Others stand in {named(state, to)}: these units enter it only beside a unit of theirs that has a die."
    return NoEscort(sentence, field="to", needed=1, there=0)


class Move(QuestionKind):
    """Step by step, until the owner is done."""

    commands = (March, Done)

    def legal(self, state: State, seat: Seat) -> Sequence[Option]:
        return [*_marches(state, state.tables.nations[state.turn]), Option("done")]

    def usual(self, state: State) -> Any:
        return Done()

    def idle(self, state: State) -> Any:
        """Nobody moves, unless there is a fight to come, or units are lost that can still go elsewhere."""
        nation = state.tables.nations[state.turn]
        lost = (group.left and targets(state, nation, area, group) for area, group, _ in excess(state, nation))
        return None if contested(state) or any(lost) else Done()

    def forced(self, state: State, seat: Seat) -> bool:
        return False  # the owner ends the moves, so that a list of commands written beforehand ends alike

    def answer(self, decision: Decision, seat: Seat, command: Any) -> None:
        if isinstance(command, Done):
            decision.close()
            return
        state = decision.state
        decision.happen(step(state, state.tables.nations[state.turn], command))
