"""The greedy bot: takes the step of the highest immediate value, such as scoring areas and likely wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from domain.games.fronela.bots.lands import chance, defended, friends, pull_of, worth
from domain.games.fronela.bots.odds import win
from domain.games.fronela.commands import MOST_ROUNDS, Done, Fight, FightOn, Go, Grow, March, Place, Retreat
from domain.games.fronela.evolve.evolve import evolve
from domain.games.fronela.phases.battlefield import contested
from domain.games.fronela.phases.combat import OUTNUMBERED
from domain.games.fronela.phases.dice import ATTACK, DEFENCE, HITS_ON, throws
from domain.games.fronela.phases.malkioni import only_farmers
from domain.games.fronela.phases.movement.journey import travellers
from domain.games.fronela.phases.movement.naming import name
from domain.games.fronela.phases.movement.steps import movers, step, targets
from domain.games.fronela.phases.population import growths
from domain.games.fronela.phases.retreat.attacker import attackers_options
from domain.games.fronela.scenarios.tables import Nation
from domain.games.fronela.state import (
    NOBODY,
    FronelaState,
    Group,
    areas_of,
    count,
    groups,
    lords,
    newest,
    others,
    size,
    strength,
)
from domain.games.fronela.turn.legal import default
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.shape import as_document
from domain.kernel.terms import Integer, OneOf, Option, Seat

SURE = 0.55
"""The minimum chance of winning for an attack."""
RUN = 0.25
"""The bot leaves a battle below this chance of winning."""


def greedy(state: FronelaState, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    """The command with the highest immediate value."""
    assert state.asking is not None
    think = _THOUGHTS.get(state.asking.kind)
    command = None if think is None else think(state)
    return as_document(default(state, seat, dice) if command is None else command)


# -- moves ------------------------------------------------------------------------------------------------------------


def _move(state: FronelaState) -> Any:
    """The best step, extended into one command while the next best step moves the same units."""
    nation = state.tables.nations[state.turn]
    kept = newest(state, _move)
    first = taken = kept["step"] if _is_map(state, kept) else _best_step(state, nation)
    to, now = "", state
    while isinstance(taken, March):
        to = taken.to
        for group in movers(now, nation, taken):
            now = evolve(now, step(now, nation, taken.area, group, to))
        taken = _best_step(now, nation)
        if not isinstance(taken, March) or (taken.area, taken.count) != (to, first.count):
            break
    kept.update({name: getattr(now, name) for name in _LOOKED_AT}, step=taken)  # the next call nearly always needs it
    if not isinstance(first, March) or to in (first.area, first.to):
        return first
    go = Go(first.area, first.unit, to, first.count)
    try:
        travellers(state, nation, go)
    except RuleViolation:
        return first
    return go


_LOOKED_AT = ("turn", "round", "persons", "tokens", "board")
"""The parts of the state that the best step depends on."""


def _is_map(state: FronelaState, kept: Mapping[str, Any]) -> bool:
    return bool(kept) and all(kept[name] == getattr(state, name) for name in _LOOKED_AT)


def _best_step(state: FronelaState, nation: Nation) -> Any:
    best: tuple[float, Any] = (0.05, Done())
    for step_ in steps_worth(state, nation):
        if step_[0] > best[0]:
            best = step_
    return best[1]


def steps_worth(state: FronelaState, nation: Nation) -> Iterator[tuple[float, March]]:
    """The nation's candidate steps, each with its gain."""
    pull = pull_of(state, nation.id)
    for area in areas_of(state, nation.id):
        for group in groups(state, area, nation.id):
            if group.left:
                yield from _steps(state, nation, area, group, pull)


def _steps(
    state: FronelaState, nation: Nation, area: str, group: Group, pull: Mapping[str, float]
) -> Iterator[tuple[float, March]]:
    if nation.kind == "malkioni" and group.kind not in ("soldier", "lord_death"):
        yield from _follow(state, nation, area, group)
        return
    stack = groups(state, area, nation.id)
    spare = group.count - (0 if size(stack) > group.count else 1)
    over = size(stack) - nation.maximum[group.kind][area]
    home = worth(state, nation, area) if size(stack) == group.count else 0.0
    for to in targets(state, nation, area, group):
        if friends(state, nation, to) or to == group.came:
            continue  # never go back, because the area just left would always look worth taking again
        command = March(area, name(state, group), to, group.count)
        there = state.board.get(to, NOBODY)
        taken = nation.id in there
        if len(there) > taken:
            yield _attack(state, nation, command, home)
            continue
        gain = 0.0 if taken else worth(state, nation, to)
        if spare > 0 and not (taken and over <= 0):
            yield (
                gain + 0.4 * (over > 0 and _room(state, nation, group.kind, to)),
                _with(command, min(spare, 1 if not taken else max(over, 1))),
            )
        if home <= 0 or pull[to] * (group.left > 1) > home:
            yield max(gain, (pull[to] - pull[area]) * (group.left > 1)) - home, command


def _with(command: March, number: int) -> March:
    return March(command.area, command.unit, command.to, number)


def _room(state: FronelaState, nation: Nation, kind: str, area: str) -> bool:
    return count(groups(state, area, nation.id), kind) < nation.maximum[kind][area]


def _attack(state: FronelaState, nation: Nation, command: March, home: float) -> tuple[float, March]:
    """The value of an attack with all units that can be spared, together with those already in the area."""
    dice = nation.units[command.unit.partition("<")[0].rstrip("*")].dice
    there = strength(nation, groups(state, command.to, nation.id))
    prize = worth(state, nation, command.to) + 0.2
    against, mine, theirs = defended(state, nation, command.to)
    before = win(there, against, mine, theirs)
    best = (0.0, command)
    for number, cost in ((command.count - 1, 0.0), (command.count, home)):
        if number < 1:
            continue
        likely = win(there + dice * number, against, mine, theirs)
        gain = (likely - before) * prize - cost - (1 - likely) * 0.5
        if likely >= SURE and gain > best[0]:
            best = (gain, _with(command, number))
    return best


def _follow(state: FronelaState, nation: Nation, area: str, group: Group) -> Iterator[tuple[float, March]]:
    """Steps of lords to soldiers without a lord, of farmers to clear land without farmers, and of wizards to soldiers."""
    stack = groups(state, area, nation.id)
    excess = count(stack, group.kind) - nation.maximum[group.kind][area]
    for to in targets(state, nation, area, group):
        there = groups(state, to, nation.id)
        if not _room(state, nation, group.kind, to) or friends(state, nation, to):
            continue
        gain = 0.3 if excess > 0 and (there or not others(state, to, nation.id)) else 0.0
        if group.kind == "lord" and not lords(there) and count(there, "soldier"):
            left_behind = count(stack, "soldier") if lords(stack) == 1 else 0
            gain += 0.3 if count(there, "soldier") > left_behind else 0.0
        elif group.kind == "farmer" and not others(state, to, nation.id) and (there or size(stack) > 1):
            fallow = state.tables.areas[to].terrain == "clear" and not count(there, "farmer")
            spare = count(stack, "farmer") > 1
            gain += 0.5 * nation.points.get(to, 0) * (fallow and spare)
        elif group.kind == "wizard" and excess <= 0:
            continue
        if gain > 0:
            yield gain, March(area, name(state, group), to, min(max(1, excess), group.count))


# -- everything else --------------------------------------------------------------------------------------------------


def _grow(state: FronelaState) -> Any:
    nation = state.tables.nations[state.turn]
    area = max(state.grown, key=lambda place: worth(state, nation, place))
    stack = groups(state, area, nation.id)
    kinds = growths(state, nation, area)
    order = ["lord", "soldier", "farmer", "wizard"]
    if not count(stack, "farmer") and nation.points.get(area, 0) > 1:
        order = ["farmer", "lord", "soldier", "wizard"]
    return Grow(area, min(kinds, key=lambda kind: order.index(kind) if kind in order else 0))


def _place(state: FronelaState) -> Any:
    nation = state.tables.nations[state.turn]
    return Place(max(areas_of(state, nation.id), key=lambda area: worth(state, nation, area)))


def _battle(state: FronelaState) -> Any:
    """Leave a battle that is lost, otherwise fight where the chances are best."""
    nation = state.tables.nations.get(state.turn)
    fights = [(area, foes[0]) for area, foes in contested(state).items()]
    if nation is None:
        return Fight(*fights[0])
    likely = {area: chance(state, nation, area, strength(nation, groups(state, area, nation.id))) for area, _ in fights}
    for option in attackers_options(state):
        assert state.asking is not None
        if likely.get(state.asking.area, 1.0) < RUN:
            return all_of(option)
    return FightOn(*max(fights, key=lambda fight: likely[fight[0]]), OUTNUMBERED, MOST_ROUNDS)


def all_of(option: Option) -> Retreat:
    """All units that can leave, to the first possible area."""
    to, number = option.open
    assert isinstance(to, OneOf)
    assert isinstance(number, Integer)
    return Retreat(option.fixed["unit"], str(to.choices[0]), number.max)


def _stay_or_go(state: FronelaState) -> Any:
    """The defender leaves only a battle that is lost."""
    battle = state.battle
    assert battle is not None
    mine = throws(state, battle.area, battle.defender, DEFENCE)
    theirs = throws(state, battle.area, battle.attacker, ATTACK)
    if not mine or not theirs or only_farmers(groups(state, battle.area, battle.defender)):
        return None
    lost = win(len(theirs), len(mine), HITS_ON - theirs[0].modifier, HITS_ON - mine[0].modifier)
    return None if 1 - lost < RUN else Done()


_THOUGHTS: Mapping[str, Callable[[FronelaState], Any]] = {
    "move": _move,
    "growth": _grow,
    "eleven_beasts": _place,
    "siglat": _place,
    "battle": _battle,
    "retreat": _stay_or_go,
    "special_retreat": _stay_or_go,
}
