"""The numbers in Battalia's guide, from the ruleset of new games."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from domain.games.battalia.cards import RANKS
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price

RULES = next(iter(RULESETS.values()))
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def hand() -> str:
    """TURN-01, TURN-02."""
    cohort = ", ".join(f"{RULES.cohort[n]} for {NUMBERS[n]}" for n in sorted(RULES.cohort))
    return _wrapped(
        f"1. You hold {NUMBERS[RULES.hand]} cards. Before any other action you may discard them all and draw "
        f"{NUMBERS[RULES.hand - RULES.mulligan]} new ones. Or show {NUMBERS[min(RULES.cohort)]} or more cards of one faction and draw "
        f"extra cards ({cohort}).",
        "   ",
    )


def prices() -> str:
    """PAY."""
    modules = RULES.modules
    hire = ", ".join(f"{RULES.hire[place]} for a {rank}" for place, rank in enumerate(RANKS))
    rows = [
        ("hire a unit", f"supplies: {hire}"),
        ("take a supply", _price(RULES.take_supply)),
        ("take an artefact", _price(RULES.take_artefact)),
        ("build a road, straight or bend", _price(RULES.road["straight"])),
        ("build a road, T-junction or cross", _price(RULES.road["tee"])),
        ("found a city of any level", f"{NUMBERS[RULES.found_units]} units with the level as their rank"),
        ("upgrade a city by one level", f"{NUMBERS[RULES.upgrade_units]} units with the new level as their rank"),
        ("rebuild a city of level 0", _price(RULES.rebuild)),
        (
            "move a hero",
            f"{_price(Price(supplies=RULES.step_supplies))} a square, or a horse for {RULES.horse_steps} squares",
        ),
        ("build an Armamentum", _price(modules["armamentum_price"])),
        ("bribe the Unbound Buff", _price(modules["buff_bribe"])),
        ("hire the Unbound Buff", _price(modules["buff_hire"])),
    ]
    return _table(("action", "price"), rows)


def artefacts() -> str:
    """ART-01 to ART-08."""
    lit = RULES.lit
    faces = ", ".join(f"{face} a {what}" for face, what in enumerate(RULES.amulet, 1) if what != "any")
    rows = [
        ("weapon", f"{RULES.weapon} in a battle ({RULES.weapon * lit} when lit)"),
        ("horse", f"{RULES.horse} in a battle, or {RULES.horse_steps} squares for a hero (both doubled when lit)"),
        ("amulet", f"roll a die: {faces}, 6 any card you choose, for this turn"),
        ("title", "a unit of the same line counts one rank higher, a lord at most"),
        ("scroll", "a copy of another ordinary card of the same line"),
        ("tool", "replaces a missing card when you build"),
        ("tent", "keeps a card of your hand for a later line, also in other players' turns"),
    ]
    ambush = (
        f"You can also place a card face down, at most {NUMBERS[RULES.slots]} at a time. It leaves your deck. You can add it to your line "
        "once, in one of your battles."
    )
    return _table(("artefact", "what it does"), rows) + "\n" + _wrapped(ambush)


def ends() -> str:
    """END-01, END-02, END-04, BAT-11."""
    cities = RULES.victory_cities[0]
    return (
        _wrapped(
            f"The game ends at once when a player holds {NUMBERS[cities]} cities of level {RULES.top_level} or every square holds a card. "
            "It also ends when no player has a square left to build on. A battle in progress is always finished first. The player with "
            f"the most points wins; ties are broken by the number of level {RULES.top_level} cities, then by the number of cities."
        )
        + "\n"
        + _wrapped(
            f"A player without a city may found one of level 1 for {_price(RULES.rebuild)}, on their start square or at the edge of the "
            "map. The creator of a game can set a last week (`max_weeks`); with the Keeper the default is "
            f"{RULES.modules['keeper_max_weeks']}. The ruins have a strength of {RULES.ruins[0]}, and neutral cities start at level "
            f"{RULES.neutral_level}."
        )
    )


def _price(price: Price) -> str:
    units = RANKS[price.rank - 1] if price.rank else ("unit" if price.units == 1 else "units")
    parts = [f"{NUMBERS[price.units]} {units}"] if price.units else []
    supplies = "supply" if price.supplies == 1 else "supplies"
    return " and ".join([*parts, *([f"{NUMBERS[price.supplies]} {supplies}"] if price.supplies else [])])


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"| {one} | {other} |\n" for one, other in (head, ("---", "---"), *rows))


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 125, subsequent_indent=indent, break_on_hyphens=False) + "\n"
