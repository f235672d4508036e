"""The Rammoth's moves and attacks, with their consequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.module_api import gates, moments, registry, traits
from domain.games.battalia.module_api.adjustments import Strength
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.settings import has_trait
from domain.games.battalia.modules.rammoth.kinds import (
    Cards,
    RammothAttacked,
    RammothDrivenOff,
    RammothEntered,
    RammothMoved,
    RammothRaged,
)
from domain.games.battalia.rulebook.battle import flight
from domain.games.battalia.rulebook.battle.combat import may_take_ruined
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.terms import Seat

KEY = "rammoth"
CRITICAL = 6
"""RAM-17, RAM-18: the face of a die with a special effect, whatever the result of the attack."""
DISCARD = "discard"
"""RAM-18: the kind of the Rammoth's question."""
RAGE = "rage"
"""RAM-18: a moment that the Rammoth adds after an attack."""
AFTERMATH = "aftermath"
"""RAM-17, RAM-20: a moment that the Rammoth adds after the rage."""


def beyond(state: BattaliaState, name: str, direction: str) -> str:
    """RAM-05: the next square. Past an edge, the one on the opposite edge."""
    inside = roads.neighbours(state, name).get(direction)
    if inside is not None:
        return inside
    column, row = roads.place(name)
    match direction:
        case "N":
            return roads.square(column, state.rows - 1)
        case "E":
            return roads.square(0, row)
        case "S":
            return roads.square(column, 0)
        case _:
            return roads.square(state.columns - 1, row)


def way(state: BattaliaState, origin: str, direction: str, steps: int) -> Cards:
    """RAM-05 to RAM-07, RAM-23: the squares that the Rammoth enters; a city ends the move."""
    path = [beyond(state, origin, direction)]
    while len(path) < steps and path[-1] not in state.cities:
        path.append(beyond(state, path[-1], direction))
    return tuple(path)


def enter(decision: BattaliaDecision) -> None:
    entry = gates.arrival(decision)
    decision.happen(RammothEntered(entry.square, entry.gate or None, entry.rolls, decision.state.day))


def move(decision: BattaliaDecision, origin: str) -> None:
    """RAM-04: roll both dice, then move. RAM-09: attack at most one city."""
    direction, steps = roads.DIRECTIONS[decision.dice.roll(4) - 1], decision.dice.roll()
    path = way(decision.state, origin, direction, steps)
    decision.happen(RammothMoved(origin, direction, steps, path))
    if path[-1] in decision.state.cities:
        _attack(decision, path[-1])


def _attack(decision: BattaliaDecision, square: str) -> None:
    city = decision.state.cities[square]
    attack = {**_force(decision.state), "die": decision.dice.roll()}
    defence = {**defence_of(decision.state, square), "die": decision.dice.roll()}
    strength, against = sum(attack.values()), sum(defence.values())
    damage = max(strength - against, 0)  # RAM-12
    decision.happen(RammothAttacked(square, city.owner, attack, defence, strength, against, damage))
    _damage(decision, square, damage)
    later = [moments.item(RAGE, KEY)] if attack["die"] == CRITICAL else []
    if defence["die"] == CRITICAL or square not in decision.state.cities:
        later.append(moments.item(AFTERMATH, KEY))
    if later:
        decision.happen(ev.MomentsAdded(tuple(later)))  # RAM-19


def _force(state: BattaliaState) -> Mapping[str, int]:
    """RAM-10, ARM-08: the parts of the Rammoth's strength without the die."""
    numbers = RULESETS[state.ruleset].modules
    if has_trait(state.modules, traits.WEAPONS):
        return dict(numbers["rammoth_against_weapons"])
    return {"horn": numbers["rammoth_horn"]}


def defence_of(state: BattaliaState, square: str) -> Mapping[str, int]:
    """RAM-11: the parts of a city's defense without the die, with the modules' adjustments."""
    city = state.cities[square]
    parts = {"level": city.level}
    if city.owner != NOBODY and roads.terrain(state, square) == state.players[city.owner].faction:
        parts["terrain"] = RULESETS[state.ruleset].terrain_bonus
    return registry.adjusted(state, Strength(city.owner, "siege", NOBODY, square, (), (), parts)).parts


def _damage(decision: BattaliaDecision, square: str, damage: int) -> None:
    city = decision.state.cities[square]
    if not damage:
        return
    ruined = damage == city.level and city.owner != NOBODY and may_take_ruined(decision.state, city.owner)
    if damage < city.level or ruined:
        decision.happen(ev.CityLevelled(square, city.level - damage))  # RAM-12, RAM-15
    else:
        flight.destroy(decision, square)  # RAM-13, RAM-16


def rage(decision: BattaliaDecision, attack: Mapping[str, Any]) -> None:
    """RAM-18, ARM-09: strike all weapons in range; without the weapons' module, the owner discards half the hand."""
    state, square, owner = decision.state, attack["square"], Seat(attack["owner"])
    if has_trait(state.modules, traits.WEAPONS):
        decision.happen(RammothRaged(square, roads.within_range(state, square)))
    elif owner != NOBODY:
        count = half(state, state.players[owner].hand)
        if count:
            about = {"square": square, "count": count}
            decision.happen(ev.QuestionAsked(DISCARD, (owner,), "RAM-18", about, KEY))


def half(state: BattaliaState, hand: Sequence[str]) -> int:
    """RAM-18: half the size of the hand, rounded down."""
    share: int = RULESETS[state.ruleset].modules["rammoth_hand_share"]
    return len(hand) // share


def aftermath(decision: BattaliaDecision, attack: Mapping[str, Any]) -> None:
    """RAM-17, RAM-19, RAM-20: the Rammoth leaves the map or enters again."""
    if attack["against"] == CRITICAL:
        decision.happen(RammothDrivenOff(attack["square"]))
    else:
        enter(decision)
