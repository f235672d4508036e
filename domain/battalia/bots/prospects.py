"""What the greedy player thinks of the board: where there is something to be had, and how far it is."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.battalia.cards import CARDS, fights
from domain.battalia.modules import registry
from domain.battalia.rulebook.battle import strength
from domain.battalia.rulebook.map import roads
from domain.battalia.rulebook.map.figures import city_answers, enemies_on, heroes_of
from domain.battalia.state import NOBODY, Hero, State
from domain.terms import Seat

FAR = 99
FEW_SUPPLIES = 0.25
"""The share of supplies among a player's cards below which it takes more of them."""
LIKING = {"priest": 8.0, "lord": 10.0}
"""How much it wants a unit: two or three of a high rank in one hand pay for a high city, low ranks only fill the hand."""
ENOUGH = 0.4
"""How much less it wants a unit for each of the same rank that it has."""


@dataclass(frozen=True, slots=True)
class Prospects:
    """What the judges of Options look up; worked out once for each command."""

    faction: str
    targets: Mapping[str, float]
    """Squares worth having, and what they would bring."""
    module_targets: Mapping[str, float]
    """What modules make of squares besides (`modules.socket.Npc.targets`); these are targets too."""
    nearer: Mapping[str, Mapping[str, int]]
    """For each hero the steps that lead nearer to a target, and how far it is from there."""
    wants: Mapping[str, float]
    """How much a unit would help, by rank; what is missing here is not wanted."""
    short_of_supplies: bool
    sites: dict[Any, Any] = field(default_factory=dict)
    """What was worked out of places to build on: many Options differ in nothing but what pays for them."""


def prospects(state: State, seat: Seat) -> Prospects:
    """The seat's prospects in an imagined state."""
    module_targets = _module_targets(state, seat)
    targets = _targets(state, seat)
    targets |= {name: targets.get(name, 0.0) + worth for name, worth in module_targets.items()}
    player = state.players[seat]
    cards = [CARDS[card] for card in (*player.hand, *player.deck, *player.discard, *player.played)]
    supplies = sum(card.group == "supply" for card in cards)
    ranks = Counter(card.kind for card in cards if card.rank)
    wants = {name: liking - ENOUGH * ranks[name] for name, liking in LIKING.items()}
    heroes = [hero for hero in heroes_of(state, seat) if hero.square and not hero.fought]
    return Prospects(
        player.faction,
        targets,
        module_targets,
        _NEARER.get(
            (state.board, state.cities, state.heroes, state.options),
            (seat, state.modules, tuple(targets)),
            lambda: _ways(state, seat, heroes, targets),
        ),
        wants,
        supplies < FEW_SUPPLIES * len(cards),
    )


def _targets(state: State, seat: Seat) -> dict[str, float]:
    found = {name: prize(state, name, city.owner) for name, city in sorted(state.cities.items()) if city.owner != seat}
    if state.great and not state.turn.ruins:
        found[state.centre] = prize(state, state.centre, NOBODY)
    return {name: worth for name, worth in found.items() if worth > 0}


def _module_targets(state: State, seat: Seat) -> dict[str, float]:
    """The sum of what the modules make of each square."""
    found: Counter[str] = Counter()
    for module in registry.playing(state.modules):
        found.update(module.targets(state, seat))
    return {name: worth for name, worth in sorted(found.items()) if worth > 0}


def prize(state: State, square: str, against: int) -> float:
    """What winning there would bring, in points."""
    city = state.cities.get(square)
    if city is not None and city.owner == against:
        return city.level * (1.0 if against == NOBODY else 1.6)
    if against == NOBODY:
        return 1.5 if state.great else 0.0
    return 0.7


def defence_of(state: State, square: str, against: int) -> float:
    """What a line must beat, as far as one can tell: for a player, the strength of the imagined hand."""
    if against == NOBODY:
        return strength.unowned(state, square).strength
    foe = Seat(against)
    line = [card for card in state.players[foe].hand if fights(card)]
    return strength.side(state, foe, "defence", foe, square, (), line, ()).strength


def nearest(state: State, seat: Seat, squares: Sequence[str]) -> str:
    """The square from which a hero of the seat has the shortest way to a target; of equal ones the first."""
    targets = _targets(state, seat)
    targets |= _module_targets(state, seat)
    ways = _Ways(state, seat, targets)
    return min(squares, key=ways.distance)


def nearness(state: State, seat: Seat) -> float:
    """How near the seat's heroes are to what the board itself offers: one for each that is a step away from it."""
    squares = [hero.square for hero in heroes_of(state, seat) if hero.square]
    ways = _Ways(state, seat, _targets(state, seat)) if squares else None
    return sum([1 / ways.distance(square) for square in squares]) if ways else 0.0


def towards(state: State, seat: Seat, squares: Collection[str]) -> Mapping[str, Mapping[str, int]]:
    """For each hero of the seat who stands elsewhere the steps that lead nearer to one of these squares, and how far it is from there."""
    heroes = [hero for hero in heroes_of(state, seat) if hero.square and not hero.fought]
    return _ways(state, seat, [hero for hero in heroes if hero.square not in squares], squares)


def closeness(state: State, seat: Seat, square: str) -> float:
    """How near the seat's nearest hero is to a square: 1 on it, a half beside it, 0 where no road leads there."""
    ways = _Ways(state, seat, (square,))
    steps = [
        0 if hero.square == square else ways.distance(hero.square) for hero in heroes_of(state, seat) if hero.square
    ]
    return max((1 / (1 + far) for far in steps if far < FAR), default=0.0)


_NEARER = roads.Memo(256)
"""For a seat's heroes the steps that lead nearer: most commands move nobody and build nothing."""


def _ways(
    state: State, seat: Seat, heroes: Sequence[Hero], targets: Collection[str]
) -> Mapping[str, Mapping[str, int]]:
    ways = _Ways(state, seat, targets)
    return {hero.id: ways.nearer(hero.square) for hero in heroes}


class _Ways:
    """How far it is on the roads of a board to the nearest of some targets; found once for all squares, from the targets outward."""

    def __init__(self, state: State, seat: Seat, targets: Collection[str]) -> None:
        self._links, self._targets = roads.network(state).links, targets
        busy = {hero.square for hero in state.heroes.values() if hero.seat != seat}.union(state.cities)
        self._stops = {state.centre, *(name for name in busy if _stops(state, seat, name))}
        self._far = self._spread()

    def _spread(self) -> dict[str, int]:
        far: dict[str, int] = {}
        border = [name for name in self._targets if name in self._links]
        steps = 0
        while border:
            steps += 1
            beside = {to for name in border for to in self._links[name] if to not in far}
            far.update(dict.fromkeys(beside, steps))
            border = [name for name in beside if name not in self._targets and name not in self._stops]
        return far

    def nearer(self, square: str) -> Mapping[str, int]:
        """Steps to squares beside this one that lie on a shortest way to some target, and how far it is from there."""
        beside = self._links[square]
        ways = {to: self.distance(to) for to in beside if to not in self._stops}
        now = min([self.distance(square), *(1 for to in beside if to in self._targets)])
        return {to: far for to, far in ways.items() if far < now}

    def distance(self, start: str) -> int:
        """Steps from there to the nearest target, past nobody who stops a hero; `FAR` where no road leads to one."""
        return self._beyond(start) if start in self._targets else self._far.get(start, FAR)

    def _beyond(self, start: str) -> int:
        """The same from a target on, which is none itself then."""
        known = {start: 0}
        border = deque([start])
        while border:
            name = border.popleft()
            for other in self._links[name]:
                if other in known:
                    continue
                if other in self._targets:
                    return known[name] + 1
                if other not in self._stops:
                    known[other] = known[name] + 1
                    border.append(other)
        return FAR


def _stops(state: State, seat: Seat, name: str) -> bool:
    return city_answers(state, seat, name) or bool(enemies_on(state, seat, name))


def site_worth(state: State, ahead: Prospects, square: str, exits: str) -> float:
    """How well a card lies there: near to a target that no road reaches yet, open towards it and to empty squares."""
    near = ahead.sites.get(square)
    if near is None:
        near = ahead.sites[square] = _ground(state, ahead, square)
    worth: float = 0.0
    for direction in exits:
        worth += near[direction]
    return worth - near[""]


def _ground(state: State, ahead: Prospects, square: str) -> Mapping[str, float]:
    """What each way out of the square is worth, and under the empty string what is lost by how far it is from targets."""
    around = roads.neighbours(state, square)
    worth = {}
    for direction in roads.OPPOSITE:
        other = around.get(direction)
        if other is None:
            worth[direction] = -0.6
        elif other not in state.board:
            worth[direction] = 0.5
        elif roads.OPPOSITE[direction] in state.board[other].exits:
            worth[direction] = 4.0 if other in ahead.targets else 0.3
        else:
            worth[direction] = 0.0
    column, row = roads.place(square)
    goals = map(roads.place, ahead.targets)
    nearest = min((abs(goal[0] - column) + abs(goal[1] - row) for goal in goals), default=FAR)
    return {**worth, "": min(nearest, 9) * 0.5}
