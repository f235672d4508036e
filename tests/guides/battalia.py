"""The numbers of Battalia's guide, from the ruleset that new games get."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from domain.battalia.cards import RANKS
from domain.battalia.rulesets import RULESETS
from domain.battalia.rulesets.rules import Price

RULES = next(iter(RULESETS.values()))
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def hand() -> str:
    """TURN-01, TURN-02."""
    cohort = ", ".join(f"{RULES.cohort[n]} for {NUMBERS[n]}" for n in sorted(RULES.cohort))
    return _wrapped(
        f"1. You hold {NUMBERS[RULES.hand]} cards. Before anything else you may discard them all for "
        f"{NUMBERS[RULES.hand - RULES.mulligan]} others, or show {NUMBERS[min(RULES.cohort)]} or more of one faction and draw more "
        f"({cohort}).",
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
        ("lay a road, straight or bend", _price(RULES.road["straight"])),
        ("lay a fork or a crossing", _price(RULES.road["tee"])),
        ("found a city of any level", f"{NUMBERS[RULES.found_units]} units whose rank is the level"),
        ("raise a city by one level", f"{NUMBERS[RULES.upgrade_units]} units whose rank is the new level"),
        ("rebuild a city of level 0", _price(RULES.rebuild)),
        (
            "walk a hero",
            f"{_price(Price(supplies=RULES.step_supplies))} a square, or a horse for {RULES.horse_steps} squares",
        ),
        ("build an Armamentum", _price(modules["armamentum_price"])),
        ("bribe the Unbound Buff", _price(modules["buff_bribe"])),
        ("hire the Unbound Buff", _price(modules["buff_hire"])),
    ]
    return _table(("to …", "it costs"), rows)


def artefacts() -> str:
    """ART-01 to ART-08."""
    lit = RULES.lit
    faces = ", ".join(f"{face} a {what}" for face, what in enumerate(RULES.amulet, 1) if what != "any")
    rows = [
        ("weapon", f"{RULES.weapon} in a battle ({RULES.weapon * lit} when lit)"),
        ("horse", f"{RULES.horse} in a battle, or {RULES.horse_steps} squares for a hero (both doubled when lit)"),
        ("amulet", f"roll a die: {faces}, 6 what you wish, for this turn"),
        ("title", "a unit of the same line counts one rank higher, a lord at most"),
        ("scroll", "a copy of another ordinary card of the same line"),
        ("tool", "stands for a missing card when you build"),
        ("tent", "keeps a card of your hand for a later line, in others' turns too"),
    ]
    ambush = (
        f"A card can also be laid face down, {NUMBERS[RULES.slots]} of them at most: it leaves your deck, and once, in a battle of "
        "yours, adds to your line."
    )
    return _table(("artefact", "what it does"), rows) + "\n" + _wrapped(ambush)


def ends() -> str:
    """END-01, END-02, END-04, BAT-11."""
    cities = RULES.victory_cities[0]
    return _wrapped(
        f"The game ends at once when somebody holds {NUMBERS[cities]} cities of level {RULES.top_level}, when every square holds "
        "a card, or when nobody has a square left to build on; a battle is always seen to its end first. Most points win, then "
        f"most cities of level {RULES.top_level}, then most cities. Whoever has lost every city may found one of level 1 for "
        f"{_price(RULES.rebuild)}, on their start square or at the map's edge. The creator of a game may set a last week "
        f"(`max_weeks`); with the Keeper it is {RULES.modules['keeper_max_weeks']} unless they say otherwise. The ruins have a "
        f"strength of {RULES.ruins[0]}, neutral cities begin with level {RULES.neutral_level}."
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
