"""Positions with the Keeper: his square, a battle near him, a duel."""

from __future__ import annotations

from domain.games.battalia.commands import Defend, Step
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.keeper.kinds import KEYS, ChallengeKeeper, KeyGiven
from domain.games.battalia.state import changed
from domain.kernel.terms import Seat
from tests.battalia.laid import (
    at,
    city,
    hand,
    morning,
    night,
    remembers,
    road,
    table,
    turn_of,
)
from tests.story import LoadedDice, Story

ALONE = ("keeper",)
GATED = ("stormgates", "keeper")


def keeper(state, square, *, duels=None, **keys):
    """Puts the Keeper on the square and gives these keys to seats (``s1=…``)."""
    held = {str(seat): [] for seat in state.players} | {name[1:]: list(several) for name, several in keys.items()}
    return remembers(state, "keeper", square=square, keys=held, duels=duels or {})


def keys(story):
    return {int(seat): held for seat, held in story.state.npcs["keeper"]["keys"].items() if held}


def where(story):
    return story.state.npcs["keeper"]["square"]


def given(seat, faction, by="battle"):
    return KeyGiven(seat, faction, *KEYS[faction], by)


def field(modules=ALONE, *, seats=2, foe=2, land="emberians", square="D3", **options):
    """Seat 1's hero on B1 can move to C1, a road with an enemy hero. The Keeper is on ``square``."""
    state = road(road(table(seats, modules, **options), "B1", "EW"), "C1", "EW", land)
    return keeper(turn_of(at(state, hero_1_1="B1", **{f"hero_{foe}_1": "C1"}), 1), square)


def attack(state, foe=2, hero="hero-1-1", to="C1", units=("lord",), defence=(), dice=()):
    """Seat 1 attacks, and the defender answers."""
    state = hand(state, 1, "supply", *units)
    state = hand(state, foe, *defence) if foe else state
    supply, *line = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step(hero, to, (supply,), tuple(line), against=foe))
    if foe:
        story.when(foe, Defend(state.players[Seat(foe)].hand), LoadedDice(*dice))
    return story


def arena(*line, modules=ALONE, land="emberians", **held):
    """Seat 1's hero is with the Keeper on D2, and the seat has these cards in hand."""
    state = road(
        table(2, modules, **({"unbound_units": True} if "unbound" in " ".join(line) else {})), "D2", "NS", land
    )
    return hand(keeper(turn_of(at(state, hero_1_1="D2"), 1), "D2", **held), 1, *line)


def great(state, seat, card):
    """Moves the great artefact to the seat's hand."""
    players = {**state.players, seat: changed(state.players[seat], hand=(*state.players[seat].hand, card))}
    rest = {zone: tuple(other for other in getattr(state, zone) if other != card) for zone in ("great", "gone")}
    return changed(state, players=players, **rest)


def duel(state, hero="hero-1-1", units=None, support=(), ambush=(), faces=()):
    line = state.players[1].hand if units is None else units
    dice = LoadedDice(*faces)
    return Story(BATTALIA, state).when(1, ChallengeKeeper(hero, tuple(line), tuple(support), tuple(ambush)), dice)


def crowned(state, seat, cities):
    """Gives the seat this many cities of level 4."""
    for square, exits in (("B1", "ES"), ("C1", "SW"), ("D1", "ESW"), ("E1", "EW"), ("F1", "NEW"))[:cities]:
        state = city(state, square, seat, 4, exits, "emberians")
    return state


def ended(state, weeks=2):
    """The outcome at the check-point of `max_weeks`."""
    return BATTALIA.rules.outcome(morning(night(state, 7 * weeks - 1)).state)
