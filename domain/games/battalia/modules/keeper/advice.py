"""The greedy bot's advice on the Keeper: hunt players whose keys are missing, and duel only with a winning line."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from domain.games.battalia.bots import lineup
from domain.games.battalia.cards import CARDS, fights
from domain.games.battalia.evolve.zones import at_hand
from domain.games.battalia.module_api.socket import Advice
from domain.games.battalia.rulebook.battle import strength
from domain.games.battalia.rulebook.map.figures import hostile
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.terms import OneOf, Option, Seat

KEY = 3.0
"""The value of a missing key, in city levels."""
AT_ONCE = 91.0
"""A duel that will be won is rated above free steps (90), which would lead the hero away."""


def challenge(state: BattaliaState, seat: Seat, option: Option, square: str) -> Advice | None:
    """KEE-05: a duel on this square, if the hand beats the Keeper."""
    hero = next(part.choices[0] for part in option.open if isinstance(part, OneOf))
    line = lineup.to_reach(state, seat, option, "attack", square, str(hero), _strength(state) + 1)
    return None if line is None or not line["units"] else (AT_ONCE, {"type": option.type, "hero": hero, **line})


def hunted(state: BattaliaState, seat: Seat, held: Collection[str]) -> Mapping[str, float]:
    """KEE-03: the squares of enemy heroes and cities whose factions are missing among the keys, with their value."""
    foes = [foe for foe in state.order if hostile(state, seat, foe) and state.players[foe].faction not in held]
    squares = {hero.square for hero in state.heroes.values() if hero.seat in foes and hero.square}
    squares |= {name for name, city in state.cities.items() if city.owner in foes}
    return dict.fromkeys(sorted(squares), KEY)


def sought(state: BattaliaState, seat: Seat, square: str) -> Mapping[str, float]:
    """KEE-05: the Keeper's square, if the hand wins the duel. Cards not played this turn are discarded (TURN-06)."""
    hand = [card for card in at_hand(state.players[seat]) if fights(card) and CARDS[card].kind != "amulet"]
    if not any(CARDS[card].rank for card in hand):
        return {}
    own = strength.side(state, seat, "attack", NOBODY, square, (), hand, ())
    return {square: KEY} if own.strength > _strength(state) else {}


def _strength(state: BattaliaState) -> int:
    against: int = RULESETS[state.ruleset].modules["keeper_strength"]
    return against
