"""The strength of a battle line (BAT-02 to BAT-06, BAT-15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement

from domain.games.battalia.cards import CARDS, RANKS, RUINS
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Strength
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.payment import wheel
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat


@dataclass(frozen=True, slots=True)
class Side:
    """One side's strength by its parts."""

    parts: Mapping[str, int]

    @property
    def strength(self) -> int:
        return sum(self.parts.values())


def rolls_for(state: BattaliaState, cards: Sequence[str], dice: Dice) -> tuple[int, ...]:
    """BAT-15: a roll for each amulet of the line, two if it is illuminated (ART-10)."""
    amulets = sum(CARDS[card].kind == "amulet" for card in cards)
    return tuple(dice.roll() for _ in range(amulets * wheel.times(state, "amulet")))


def side(
    state: BattaliaState,
    seat: Seat,
    role: str,
    foe: Seat,
    square: str,
    heroes: tuple[str, ...],
    cards: Sequence[str],
    rolls: Sequence[int],
    tactics: tuple[str, ...] = (),
) -> Side:
    """The strength of a player's side; ``square`` is the contested square."""
    rules = RULESETS[state.ruleset]
    faction = state.players[seat].faction
    parts = {"cards": of_cards(state, role, cards, rolls)[0]}
    city = state.cities.get(square)
    if role == "defence" and city is not None and city.owner == seat:
        parts["level"] = city.level  # BAT-04
    if roads.terrain(state, square) == faction:
        parts["terrain"] = rules.terrain_bonus  # BAT-05
    if _moral(state, faction, cards, rolls):
        parts["moral"] = rules.moral_bonus  # BAT-06
    if state.modules:
        units = tuple(card for card in cards if CARDS[card].group == "unit")
        subject = Strength(seat, role, foe, square, heroes, units, parts, tactics, tuple(cards), tuple(rolls))
        parts = dict(registry.adjusted(state, subject).parts)
    return Side(parts)


def unowned(state: BattaliaState, square: str) -> Side:
    """BAT-11: the defense of a neutral city or the ruins, with the options if available (GATE-03)."""
    rules = RULESETS[state.ruleset]
    if square == state.centre:
        return Side({RUINS: state.options.get("ruins_strength", rules.ruins[0])})
    parts = {"level": state.cities[square].level}
    if walls := state.options.get("neutral_strength", rules.neutral_extra[0]):
        parts["walls"] = walls
    return Side(parts)


def of_cards(
    state: BattaliaState, role: str, cards: Sequence[str], rolls: Sequence[int], for_unbound: int = 0
) -> tuple[int, int]:
    """The strength of a line's cards, and the best number of scrolls that copy Unbound units (ART-05).

    ``for_unbound`` is the additional value of such a copy. It affects the choice, not the returned strength.
    """
    rules = RULESETS[state.ruleset]
    kinds = [CARDS[card].kind for card in cards]
    ranks = [CARDS[card].rank for card in cards if CARDS[card].rank] + [
        rank for roll in rolls if (rank := rules.amulet_ranks[roll - 1])
    ]
    great = kinds.count("sword") * rules.sword if role == "attack" else kinds.count("shield") * rules.shield
    counts = (kinds.count("weapon"), kinds.count("horse"), kinds.count("title"), kinds.count("scroll"))
    mercenary = max((CARDS[card].rank for card in cards if CARDS[card].unbound), default=0) if for_unbound else 0
    worth, copies = _best(tuple(sorted(ranks)), counts, rules, wheel.lit(state), mercenary, for_unbound)
    return great + worth, copies


@lru_cache(maxsize=1 << 14)
def _best(
    ranks: tuple[int, ...],
    counts: tuple[int, int, int, int],
    rules: BattaliaNumbers,
    lit: str,
    mercenary: int,
    bonus: int,
) -> tuple[int, int]:
    """The best strength of units and ordinary artefacts, titles and scrolls, and the number of copies of ``mercenary``.

    ``mercenary`` is the rank of the best Unbound unit, 0 for none; ``bonus`` is the additional value of a copy of it.
    """
    weapons, horses, titles, scrolls = counts
    copies = scrolls * (rules.lit if lit == "scroll" else 1)
    worth = {kind: rules.lit if kind == lit else 1 for kind in ("weapon", "horse", "title")}
    copied = [
        kind
        for kind, there in (
            ("unit", ranks),
            ("mercenary", mercenary),
            ("weapon", weapons),
            ("horse", horses),
            ("title", titles),
        )
        if there
    ]
    if not copied:
        return 0, 0
    best = (0, 0)
    for choice in combinations_with_replacement(copied, copies):
        spare = choice.count("mercenary")
        units = [*ranks, *([max(ranks)] * choice.count("unit") if ranks else ()), *([mercenary] * spare)]
        lifts = (titles + choice.count("title")) * rules.title * worth["title"]
        strength = sum(units) + min(lifts, sum(len(RANKS) - rank for rank in units))
        strength += (weapons + choice.count("weapon")) * rules.weapon * worth["weapon"]
        strength += (horses + choice.count("horse")) * rules.horse * worth["horse"]
        if strength + spare * bonus > best[0] + best[1] * bonus:
            best = strength, spare
    return best


def _moral(state: BattaliaState, faction: str, cards: Sequence[str], rolls: Sequence[int]) -> bool:
    """BAT-06: whether the line gets the morale bonus. Amulets count as the cards they became, and a scroll as its copy."""
    rules = RULESETS[state.ruleset]
    kinds = {CARDS[card].kind for card in cards if CARDS[card].group in ("unit", "artefact")}
    copying = bool(kinds - {"scroll"})
    factions = {
        CARDS[card].faction for card in cards if CARDS[card].kind not in ("amulet", *(("scroll",) if copying else ()))
    }
    each = wheel.times(state, "amulet")
    amulets = [card for card in cards if CARDS[card].kind == "amulet"]
    for place, roll in enumerate(rolls):
        if rules.amulet_ranks[roll - 1]:
            factions.add(faction if roll in rules.amulet_own else CARDS[amulets[place // each]].faction)
    factions.discard("")
    return factions == {faction}
