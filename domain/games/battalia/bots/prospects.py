"""The greedy bot's view of the board: valuable targets and their distances."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.games.battalia.cards import CARDS, fights
from domain.games.battalia.module_api import registry
from domain.games.battalia.rulebook.battle import strength
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import city_answers, enemies_on, heroes_of
from domain.games.battalia.state import NOBODY, BattaliaState, Hero
from domain.kernel.terms import Seat

FAR = 99
FEW_SUPPLIES = 0.25
"""Below this share of supplies among a player's cards, take more of them."""
LIKING = {"priest": 8.0, "lord": 10.0}
"""The value of a unit to the bot. Two or three units of a high rank pay for a high city; low ranks only fill the hand."""
ENOUGH = 0.4
"""The value that a unit loses for each owned one of the same rank."""


@dataclass(frozen=True, slots=True)
class Prospects:
    """Inputs for rating Options, computed once per command."""

    faction: str
    targets: Mapping[str, float]
    """Valuable squares and their values."""
    module_targets: Mapping[str, float]
    """Values that modules add to squares (`module_api.socket.Npc.targets`). These are also targets."""
    nearer: Mapping[str, Mapping[str, int]]
    """The steps of each hero that lead closer to a target, with the remaining distance."""
    wants: Mapping[str, float]
    """The benefit of a unit by rank. Ranks that are missing here are not wanted."""
    short_of_supplies: bool
    sites: dict[Any, Any] = field(default_factory=dict)
    """Cache for building sites: many Options differ only in their payment."""


def prospects(state: BattaliaState, seat: Seat) -> Prospects:
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


def _targets(state: BattaliaState, seat: Seat) -> dict[str, float]:
    found = {name: prize(state, name, city.owner) for name, city in sorted(state.cities.items()) if city.owner != seat}
    if state.great and not state.turn.ruins:
        found[state.centre] = prize(state, state.centre, NOBODY)
    return {name: worth for name, worth in found.items() if worth > 0}


def _module_targets(state: BattaliaState, seat: Seat) -> dict[str, float]:
    found: Counter[str] = Counter()
    for module in registry.playing(state.modules):
        found.update(module.targets(state, seat))
    return {name: worth for name, worth in sorted(found.items()) if worth > 0}


def prize(state: BattaliaState, square: str, against: int) -> float:
    """The value of winning there, in points."""
    city = state.cities.get(square)
    if city is not None and city.owner == against:
        return city.level * (1.0 if against == NOBODY else 1.6)
    if against == NOBODY:
        return 1.5 if state.great else 0.0
    return 0.7


def defence_of(state: BattaliaState, square: str, against: int) -> float:
    """The known strength to beat. For a player, the strength of the imagined hand."""
    if against == NOBODY:
        return strength.unowned(state, square).strength
    foe = Seat(against)
    line = [card for card in state.players[foe].hand if fights(card)]
    return strength.side(state, foe, "defence", foe, square, (), line, ()).strength


def nearest(state: BattaliaState, seat: Seat, squares: Sequence[str]) -> str:
    """The square from which a hero of the seat is closest to a target; the first one on a tie."""
    targets = _targets(state, seat)
    targets |= _module_targets(state, seat)
    ways = _Ways(state, seat, targets)
    return min(squares, key=ways.distance)


def nearness(state: BattaliaState, seat: Seat) -> float:
    """How close the seat's heroes are to the board's own targets: 1 for each that is one step away."""
    squares = [hero.square for hero in heroes_of(state, seat) if hero.square]
    ways = _Ways(state, seat, _targets(state, seat)) if squares else None
    return sum([1 / ways.distance(square) for square in squares]) if ways else 0.0


def towards(state: BattaliaState, seat: Seat, squares: Collection[str]) -> Mapping[str, Mapping[str, int]]:
    """The steps that lead each hero of the seat closer to these squares, with the remaining distance.

    Heroes that are already on one of them are left out.
    """
    heroes = [hero for hero in heroes_of(state, seat) if hero.square and not hero.fought]
    return _ways(state, seat, [hero for hero in heroes if hero.square not in squares], squares)


def closeness(state: BattaliaState, seat: Seat, square: str) -> float:
    """How close the seat's nearest hero is to a square: 1 on it, 1/2 next to it, 0 if no road leads there."""
    ways = _Ways(state, seat, (square,))
    steps = [
        0 if hero.square == square else ways.distance(hero.square) for hero in heroes_of(state, seat) if hero.square
    ]
    return max((1 / (1 + far) for far in steps if far < FAR), default=0.0)


_NEARER = roads.Memo(256)
"""The steps that lead closer to targets. Cached, because most commands move no hero and build nothing."""


def _ways(
    state: BattaliaState, seat: Seat, heroes: Sequence[Hero], targets: Collection[str]
) -> Mapping[str, Mapping[str, int]]:
    ways = _Ways(state, seat, targets)
    return {hero.id: ways.nearer(hero.square) for hero in heroes}


class _Ways:
    """Distances by road to the nearest of some targets, computed once for all squares from the targets outward."""

    def __init__(self, state: BattaliaState, seat: Seat, targets: Collection[str]) -> None:
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
        """Steps to neighboring squares on a shortest way to a target, and the remaining distance."""
        beside = self._links[square]
        ways = {to: self.distance(to) for to in beside if to not in self._stops}
        now = min([self.distance(square), *(1 for to in beside if to in self._targets)])
        return {to: far for to, far in ways.items() if far < now}

    def distance(self, start: str) -> int:
        """Steps to the nearest target without passing anything that stops a hero; `FAR` if there is no road."""
        return self._beyond(start) if start in self._targets else self._far.get(start, FAR)

    def _beyond(self, start: str) -> int:
        """As `distance`, but from a square that is itself a target and does not count."""
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


def _stops(state: BattaliaState, seat: Seat, name: str) -> bool:
    return city_answers(state, seat, name) or bool(enemies_on(state, seat, name))


def site_worth(state: BattaliaState, ahead: Prospects, square: str, exits: str) -> float:
    """The value of placing a card there.

    Higher near targets without a road, and with exits to them or to empty squares.
    """
    near = ahead.sites.get(square)
    if near is None:
        near = ahead.sites[square] = _ground(state, ahead, square)
    worth: float = 0.0
    for direction in exits:
        worth += near[direction]
    return worth - near[""]


def _ground(state: BattaliaState, ahead: Prospects, square: str) -> Mapping[str, float]:
    """The value of each exit of the square. The empty string has the penalty for the distance from targets."""
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
