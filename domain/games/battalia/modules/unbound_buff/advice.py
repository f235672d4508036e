"""The greedy bot's advice on the Unbound Buff: send him to enemies, and bribe him if a fight would be lost."""

from __future__ import annotations

from collections import deque
from typing import Any

from domain.games.battalia.bots import lineup
from domain.games.battalia.module_api.socket import Advice
from domain.games.battalia.modules.unbound_buff import memory
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import hostile
from domain.games.battalia.state import BattaliaState
from domain.kernel.options import command_of, first
from domain.kernel.terms import OneOf, Option, Seat, SubsetOf

FAR = 20


def advise(state: BattaliaState, seat: Seat, option: Option) -> Advice | None:
    """A value and a command; None if there is no advice."""
    match option.type:
        case "place_bet":  # BUF-04: cards that are bet are drawn again
            cards = [list(part.choices) for part in option.open if isinstance(part, SubsetOf)]
            return 1.0, _filled(option, cards=cards[0] if cards else [])
        case "choose_entrance":
            square = max(_choices(option, "square"), key=lambda name: (_harm(state, seat, name), name))
            return 1.0, _filled(option, square=square)
        case "roll_for_buff":
            return 1.0, _filled(option)
        case "leave_buff":
            return 0.5, _filled(option)
        case "move_buff":
            return _moved(state, seat, option)
        case "pick_victim":
            hero = max(_choices(option, "hero"), key=lambda name: _enmity(state, seat, name))
            return 1.0, _filled(option, hero=hero)
        case _:
            return _answer(state, seat, option)


def _answer(state: BattaliaState, seat: Seat, option: Option) -> Advice:
    """BUF-10 to BUF-12: prefer a won fight to hiring, hiring to bribing, and bribing to a lost fight."""
    about = state.asking[-1].about
    match option.type:
        case "fight_buff":
            horde = memory.of(state)["horde"]
            line = lineup.to_reach(state, seat, option, "stand", about["square"], about["hero"], horde)
            return (30.0, _filled(option, **line)) if line is not None else (1.0, _filled(option))
        case _:
            return {"hire_buff": 26.0, "bribe_buff": 15.0}[option.type], command_of(option, first)


def _moved(state: BattaliaState, seat: Seat, option: Option) -> Advice:
    """Rates a move toward an enemy's hero highest, and never moves onto an own or a partner's hero."""
    scored = [(_worth(state, seat, to), to) for to in _choices(option, "to")]
    worth, to = max(scored)
    return worth, _filled(option, to=to)


def _worth(state: BattaliaState, seat: Seat, to: str) -> float:
    found = memory.prey(state, to)
    if found:
        return 5.0 if all(_enmity(state, seat, name) > 0 for name in found) else 0.0
    return 1.0 - _distance(state, seat, to) / FAR


def _distance(state: BattaliaState, seat: Seat, start: str) -> int:
    """Squares to the nearest enemy hero."""
    links = roads.network(state).links
    trail = memory.of(state)["trail"]
    known = {start: 0}
    border = deque([start])
    while border:
        name = border.popleft()
        if any(_enmity(state, seat, hero) > 0 for hero in memory.prey(state, name)):
            return known[name]
        for other in links[name]:
            if other not in known and other not in trail:
                known[other] = known[name] + 1
                border.append(other)
    return FAR


def _enmity(state: BattaliaState, seat: Seat, hero: str) -> int:
    """Above zero for an enemy's hero, and higher the more points the enemy has."""
    other = state.heroes[hero].seat
    return 1 + scoring.points(state, other) if hostile(state, seat, other) else 0


def _harm(state: BattaliaState, seat: Seat, square: str) -> int:
    found = [_enmity(state, seat, name) for name in memory.prey(state, square)]
    return min(found) if found else 0


def _choices(option: Option, name: str) -> tuple[Any, ...]:
    return next(part.choices for part in option.open if part.name == name and isinstance(part, OneOf))


def _filled(option: Option, **chosen: Any) -> dict[str, Any]:
    rest: dict[str, Any] = {part.name: [] for part in option.open if isinstance(part, SubsetOf)}
    return {"type": option.type, **option.fixed, **rest, **chosen}
