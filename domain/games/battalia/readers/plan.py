"""The data a seat needs to plan its turn without the rulebook: current prices and the reach of its heroes.

It comes from the rules themselves, using only what the seat may see.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.games.battalia.cards import ARTEFACTS, CARDS, CITIES, ROADS, SUPPLY
from domain.games.battalia.evolve.changes import with_hero
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Entrance, StepCost
from domain.games.battalia.rulebook.actions import acquire, build, march
from domain.games.battalia.rulebook.map.figures import heroes_of
from domain.games.battalia.rulebook.payment import lines, wheel
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price
from domain.games.battalia.state import BattaliaState, Hero, changed
from domain.kernel.terms import Seat


def plan(state: BattaliaState, seat: Seat) -> dict[str, Any]:
    """The seat's ``prices``, the ``counts`` of artefacts today, and the ``reach`` of each of its heroes.

    A price is ``{"units", "rank", "supplies", "tools", "clause"}``: the number of units of the rank (0: any) and of
    supplies in one line. ``tools`` says whether tools may replace missing cards.
    """
    payable = most_steps(lines.bag(state, seat), state)
    return {
        "prices": _prices(state, seat),
        "counts": {artefact: wheel.times(state, artefact) for artefact in ARTEFACTS},
        "steps": payable,
        "reach": {hero.id: list(_reach(state, hero, payable)) for hero in heroes_of(state, seat) if hero.square},
    }


# -- prices -----------------------------------------------------------------------------------------------------------


def _prices(state: BattaliaState, seat: Seat) -> dict[str, Any]:
    rules = RULESETS[state.ruleset]

    def priced(action: str, price: Price, clause: str, **more: Any) -> dict[str, Any]:
        return {**told(lines.price_of(state, seat, action, price), clause), **more}

    hired = {
        unit: priced("hire_unit", rules.hire_price(CARDS[card].rank), "PAY-01")
        for unit, card in acquire.units_on_offer(state).items()
    }
    roads = {
        shape: priced(
            "build_road",
            rules.road[shape],
            "PAY-04" if shape in ("straight", "bend") else "PAY-05",
            left=len(state.piles[f"road-{shape}"]),
        )
        for shape in ROADS
    }
    return {
        "hire_unit": hired,
        "take_supply": priced("take_supply", rules.take_supply, "PAY-02", left=len(state.piles[SUPPLY])),
        "take_artefact": {
            artefact: priced(
                "take_artefact",
                rules.take_artefact,
                "PAY-03",
                left=len(state.piles[artefact]),
                matching=artefact == wheel.matching(state),
            )
            for artefact in ARTEFACTS
        },
        "build_road": roads,
        "found_city": {
            str(level): told(price, clause) for level, (price, clause) in build.found_prices(state, seat).items()
        },
        "upgrade_city": {
            str(level): priced("upgrade_city", rules.upgrade_price(level), "PAY-07")
            for level in range(2, rules.top_level + 1)
        },
        "rebuild_city": priced("rebuild_city", rules.rebuild, "PAY-08"),
        "cities_left": {shape: len(state.piles[f"city-{shape}"]) for shape in CITIES},
        "step": {
            "supply": 1,
            "horse": rules.horse_steps * wheel.times(state, "horse"),
            "clause": "PAY-11",
        },
        **{
            action: told(lines.price_of(state, seat, action, price), clause)
            for module in registry.playing(state.modules)
            for action, (price, clause) in module.prices(state).items()
        },
    }


def told(price: Price, clause: str) -> dict[str, Any]:
    """A price as JSON."""
    return {
        "units": price.units,
        "rank": price.rank,
        "supplies": price.supplies,
        "tools": price.building,
        "clause": clause,
    }


# -- reach ------------------------------------------------------------------------------------------------------------


def most_steps(held: Mapping[str, Sequence[str]], state: BattaliaState) -> int:
    """PAY-11: the most steps that these cards can pay for, combined in the best lines."""
    rules, scroll = RULESETS[state.ruleset], wheel.times(state, "scroll")
    horse = rules.horse_steps * wheel.times(state, "horse")
    supplies, horses, hammers, scrolls, books = (
        len(held.get(kind, ())) for kind in ("supply", "horse", "hammer", "scroll", "book")
    )
    best = 0
    for copying in range(hammers + 1 if supplies else 1):
        bases = horses + hammers - copying
        # Copies are worth most with the best base, and books most if there are also scrolls.
        with_horse = bases * horse + supplies + copying * scroll
        if bases:
            with_horse += (scrolls * scroll + books * (scroll if scrolls else 1)) * horse
        with_supply = bases * horse + supplies + copying * scroll
        if supplies:
            with_supply += scrolls * scroll + books * (scroll if scrolls or copying else 1)
        best = max(best, with_horse, with_supply)
    return best


def _reach(state: BattaliaState, hero: Hero, payable: int) -> Iterator[dict[str, Any]]:
    """The squares that the hero can reach now, with the cheapest way to each, nearest first.

    ``pays`` is the number of steps that cards must pay for: neither free nor already paid. A way ends at the first
    meeting.
    """
    if hero.fought or hero.square not in state.board:
        return  # the hero must still flee from a destroyed city (RAM-14)
    # Without modules, entrances depend only on the positions of others.
    adjusted = registry.adjusts(state.modules, Entrance) or registry.adjusts(state.modules, StepCost)
    known = {hero.square: 0}
    ways: dict[str, tuple[str, ...]] = {hero.square: ()}
    waiting: deque[str] = deque([hero.square])
    met: dict[str, dict[str, Any]] = {}
    while waiting:
        square = waiting.popleft()
        standing = changed(hero, square=square)
        there = with_hero(state, hero.id, square=square) if adjusted else state
        for to in march.ways(there, standing):
            taken = known[square] + (not march.is_free(there, standing, to))
            if taken - hero.steps > payable or (to in known and known[to] <= taken):
                continue
            found = _meeting(there, standing, to)
            if found is None:
                continue
            known[to], ways[to], met[to] = taken, (*ways[square], to), found
            if not found:
                # A free step costs less than squares found earlier, so it is examined first.
                (waiting.appendleft if taken == known[square] else waiting.append)(to)
    for square in sorted(known.keys() - {hero.square}, key=lambda name: (known[name], len(ways[name]), name)):
        yield {"square": square, "pays": max(0, known[square] - hero.steps), "way": list(ways[square]), **met[square]}


def _meeting(state: BattaliaState, hero: Hero, to: str) -> dict[str, Any] | None:
    """The meeting on a square: nothing, ``foes`` to fight, or a module's figure. None if the hero may not enter."""
    entrance = march.entrance(state, hero, to)
    if entrance.closed:
        return None
    if entrance.npc:
        return {"npc": entrance.npc}
    return {"foes": list(entrance.foes)} if entrance.foes else {}
