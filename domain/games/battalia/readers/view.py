"""The public view and each seat's private view.

Both are built field by field, never by deleting secrets from the state.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from domain.games.battalia.cards import CARDS
from domain.games.battalia.evolve.zones import unseen
from domain.games.battalia.module_api import registry
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.payment import wheel
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState, Frame, Hero
from domain.kernel.terms import Seat


def view(state: BattaliaState) -> Any:
    day, week = wheel.date(max(state.day, 0), RULESETS[state.ruleset])
    return {
        "kind": "battalia",
        "ruleset": state.ruleset,
        "options": dict(state.options),
        "modules": list(state.modules),
        "day": day,
        "week": week,
        "wheel": _WHEELS.get((), (state.ruleset, state.day), lambda: _wheel(state)),
        "map": {
            "columns": state.columns,
            "rows": state.rows,
            "starts": list(state.starts),
            "ruins": state.centre,
        },
        "squares": _SQUARES.get((state.board, state.cities), state.centre, lambda: _squares(state)),
        "heroes": _HEROES.get((state.heroes,), None, lambda: _heroes(state)),
        "piles": _PILES.get((state.piles,), None, lambda: _piles(state)),
        "great": list(state.great),
        "gone": sorted(state.gone),
        "seats": {str(seat): _seat(state, seat) for seat in sorted(state.players)},
        "order": list(state.order),
        "turn": {"seat": state.turn.seat, "fresh": state.turn.fresh, "ruins": state.turn.ruins},
        "battle": _battle(state),
        "questions": [_question(frame) for frame in state.asking],
        "npcs": {module.key: module.view(state) for module in registry.playing(state.modules)},
        "ending": {"reason": state.ending, "clause": state.clause} if state.ending else None,
    }


_SQUARES, _HEROES, _PILES = roads.Memo(512), roads.Memo(512), roads.Memo(512)
_SEATS, _WHEELS = roads.Memo(2048), roads.Memo(64)
"""Views of the map, figures and players, cached by their inputs.

Most commands change few of them, and views are never changed.
"""


def _wheel(state: BattaliaState) -> Any:
    return {
        "places": list(RULESETS[state.ruleset].wheel),
        "lit": wheel.lit(state),
        "matching": wheel.matching(state),
    }


def _squares(state: BattaliaState) -> Any:
    return {name: _square(state, name) for name in sorted(state.board)}


def _square(state: BattaliaState, name: str) -> Any:
    tile = state.board[name]
    faction = roads.terrain(state, name)
    shown: dict[str, Any] = {
        "card": tile.card,
        "exits": tile.exits,
        "faction": faction,
        "terrain": roads.terrain_name(faction),
    }
    if name in state.cities:
        city = state.cities[name]
        shown["city"] = {"level": city.level, "owner": city.owner}
    return shown


def _heroes(state: BattaliaState) -> Any:
    return {name: _hero(state.heroes[name]) for name in sorted(state.heroes)}


def _hero(hero: Hero) -> Any:
    return {
        "seat": hero.seat,
        "square": hero.square or None,
        "steps": hero.steps,
        "fought": hero.fought,
        "winged": hero.winged,
    }


def _piles(state: BattaliaState) -> Any:
    return {name: _pile(cards) for name, cards in sorted(state.piles.items())}


@lru_cache(maxsize=1 << 14)
def _pile(cards: tuple[str, ...]) -> Any:
    """The number of cards, and the numbers by faction. Mercenaries are counted by rank instead."""
    left = Counter(CARDS[card].kind if CARDS[card].unbound else CARDS[card].faction for card in cards)
    return {"count": len(cards), "left": {name: left[name] for name in sorted(left) if name}}


def _seat(state: BattaliaState, seat: Seat) -> Any:
    return _SEATS.get((state.players[seat], state.cities), seat, lambda: _shown_of(state, seat))


def _shown_of(state: BattaliaState, seat: Seat) -> Any:
    player = state.players[seat]
    return {
        "faction": player.faction or None,
        "home": player.home or None,
        "out": player.out,
        "points": scoring.points(state, seat),
        "cities": list(roads.cities_of(state.cities, seat)),
        "hand": len(player.hand),
        "deck": len(player.deck),
        "hidden": len(player.hidden),
        "discard": list(player.discard),
        "played": list(player.played),
        "tokens": list(player.tokens),
        "tents": [{"tent": tent.tent, "kept": len(tent.kept), "brief": tent.brief} for tent in player.tents],
        "unseen": unseen(player),
    }


def _battle(state: BattaliaState) -> Any:
    fight = state.battle
    if fight is None:
        return None
    return {
        "attacker": fight.attacker,
        "defender": fight.defender,
        "hero": fight.hero,
        "origin": fight.origin,
        "square": fight.square,
    }


def _question(frame: Frame) -> Any:
    return {
        "kind": frame.kind,
        "seats": list(frame.seats),
        "clause": frame.clause,
        "about": dict(frame.about),
        "npc": frame.npc or None,
    }


def private(state: BattaliaState, seat: Seat) -> Any:
    player = state.players[seat]
    fight = state.battle
    mine = fight is not None and fight.attacker == seat
    return {
        "hand": list(player.hand),
        "kept": [list(tent.kept) for tent in player.tents],
        "hidden": list(player.hidden),
        "deck": sorted(player.deck),
        "line": {"cards": list(fight.line), "ambush": list(fight.ambush)} if mine and fight is not None else None,
        "npcs": {module.key: module.private(state, seat) for module in registry.playing(state.modules)},
        **({"orders": list(state.orders[seat].values())} if seat in state.orders else {}),
    }
