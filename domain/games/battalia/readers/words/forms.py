"""The names of cards, figures, edges and strengths within a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from domain.games.battalia.cards import CARDS, GREAT, TERRAIN, Card, names
from domain.kernel.game.presentation import Form, Named
from domain.kernel.numerals import numeral

NAMES: dict[str, dict[str, str]] = {
    "faction": {
        "barfolk": "Bärfolk",
        "islanders": "Islanders",
        "emberians": "Emberians",
        "cloudborn": "Cloudborn",
        "wolfsclan": "Wolfsclan",
        "sunblessed": "Sunblessed",
    },
    "great": {
        "sword": "the Sword of Elemag",
        "shield": "the Shield of Britos",
        "hammer": "the Hammer of Strato",
        "horn": "the Horn of Baldur",
        "wings": "the Wings of Aviena",
        "crown": "the Crown of Titus",
        "hand": "the Hand of Luut",
        "pavilion": "the Pavilion of Eyla",
        "staff": "the Staff of Terra",
        "book": "the Book of Crea",
    },
    "ambush": {
        "if_needed": "face-down cards may be used",
        "always": "all face-down cards are revealed, too",
        "never": "face-down cards stay hidden",
    },
    "direction": {"N": "north", "E": "east", "S": "south", "W": "west"},
    "part": {
        "level": "walls",
        "walls": "higher walls",
        "terrain": "home terrain",
        "moral": "morale",
    },
}
"""SET-02, ART-09. Names of modules are defined with the modules."""

_FIGURE = re.compile(r"hero-(\d+)-(\d+)")
_ORDINALS = ("first", "second", "third")
_ROADS = {"straight": "a straight {} road", "bend": "a {} road with a bend", "tee": "a {} road with a T-junction"}
SHAPES = {"tee": "T-junction"}
"""Names of shapes that differ from their keys."""
_CHOICES = {
    "own": "one of your cities",
    "home": "your starting city",
    "ask": "ask me",
    "reach": "enough to reach a number",
    "win": "enough to win",
    "buff": "Buff",
}
_LANDS = {
    "forest": "in the forest",
    "lake": "by the lakes",
    "desert": "in the desert",
    "mountain": "in the mountains",
    "tundra": "on the tundra",
    "plain": "on the plains",
}


def number(count: Any, named: Named) -> str:  # noqa: ARG001 - the signature of a form
    """Numbers up to twelve as words."""
    return numeral(count)


def card(id_: Any, named: Named) -> str:
    """A card by its sort, without the copy number: ``frimen-islanders-3``."""
    return _counted([(_noun(_sort(str(id_)), named), 1)])


def cards(ids: Any, named: Named) -> str:
    """Several cards, grouped by sort."""
    return _counted([(_noun(sort, named), count) for sort, count in _tallied(map(_sort, map(str, ids)))])


def card_name(id_: str, *, many: bool = False) -> str:
    """``frimen-islanders-3`` as ``frimen of the Islanders``, ``great-crown`` as ``Crown of Titus``; the plural if ``many``."""
    words = id_.partition("~")[0].split("-")
    if words[0] == "hero":
        return f"hero {words[-1]} of seat {words[1]}"
    words = [SHAPES.get(word, word) for word in (words[:-1] if words[-1].isdigit() else words)]
    if words[0] == "great":
        return NAMES["great"].get("-".join(words[1:]), id_).removeprefix("the ")
    faction = NAMES["faction"].get(words[-1])
    words[0] = "Unbound" if words[0] == "unbound" else words[0]
    sort = " ".join(words if faction is None else words[:-1])
    return f"{_plural(sort) if many else sort}{'' if faction is None else f' of the {faction}'}"


def choice_name(choice: str) -> str:
    """A choice of an option, as a player reads it."""
    if choice in NAMES["great"]:
        return NAMES["great"][choice].removeprefix("the ")
    if "-" in choice or "~" in choice:
        return card_name(choice)
    return _CHOICES.get(choice) or SHAPES.get(choice) or NAMES["faction"].get(choice) or choice.replace("_", " ")


def paid(ids: Any, named: Named) -> str:
    """Cards used as payment, of which only the kind matters."""
    sorts = (_sort(str(id_))._replace(faction="") for id_ in ids)
    return _counted([(_noun(sort, named), count) for sort, count in _tallied(sorts)])


def road(id_: Any, named: Named) -> str:  # noqa: ARG001
    """A road card by its shape and terrain."""
    known = CARDS[str(id_)]
    return _ROADS.get(known.kind, "a {} crossroads").format(_terrain(known).replace("plain", "plains"))


def land(id_: Any, named: Named) -> str:  # noqa: ARG001
    """The location of a city, by the terrain of its card."""
    return _LANDS[_terrain(CARDS[str(id_)])]


def exits(edges: Any, named: Named) -> str:
    """The edges to which a card is open: ``NES``."""
    return joined([named("direction", edge) for edge in str(edges)])


def kinds(words: Any, named: Named) -> str:
    """Kinds of cards, as in standing orders."""
    return joined([named("great", word) if word in GREAT else _plural(word) for word in map(str, words)])


def ranked(words: Any, named: Named) -> str:  # noqa: ARG001
    """Squares and words for groups of squares, in order of preference."""
    return ", else ".join(_RANKED.get(str(word), str(word)) for word in words)


def spoils(ids: Any, named: Named) -> str:
    """Great artefacts in order of preference."""
    return ", else ".join("any" if id_ == "any" else card(id_, named) for id_ in ids)


_RANKED = {"own": "a city of their own", "any": "any square", "home": "the starting city"}


def parts(strength: Any, named: Named) -> str:
    """The parts of a strength, to follow its sum; empty if there is only one part."""
    told = [f"{named('part', name)} {value}" for name, value in strength.items() if value]
    return f" ({', '.join(told)})" if len(told) > 1 or "cards" not in strength else ""


def hero(id_: Any, named: Named) -> str:
    """A figure of the player who is named in the sentence."""
    found = _FIGURE.fullmatch(str(id_))
    return f"their {_ordinal(found[2])} hero" if found else named("figure", id_)


def yours(id_: Any, named: Named) -> str:
    """A figure of the reader."""
    found = _FIGURE.fullmatch(str(id_))
    return f"your {_ordinal(found[2])} hero" if found else named("figure", id_)


def whose(id_: Any, named: Named) -> str:
    """A figure with its owner."""
    found = _FIGURE.fullmatch(str(id_))
    return f"{named('seat', found[1])}'s {_ordinal(found[2])} hero" if found else named("figure", id_)


def totals(numbers: Any, named: Named) -> str:
    """A number for each seat."""
    return joined([f"{value} from {named('seat', seat)}" for seat, value in numbers.items()])


def joined(words: list[str]) -> str:
    """The items of a list, separated by commas and ``and``."""
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1] if words else "nothing"


FORMS: Mapping[str, Form] = {
    "number": number,
    "card": card,
    "cards": cards,
    "paid": paid,
    "road": road,
    "land": land,
    "exits": exits,
    "parts": parts,
    "kinds": kinds,
    "ranked": ranked,
    "spoils": spoils,
    "hero": hero,
    "yours": yours,
    "whose": whose,
    "totals": totals,
}


def _ordinal(place: str) -> str:
    return _ORDINALS[int(place) - 1] if 0 < int(place) <= len(_ORDINALS) else f"{place}th"


def _terrain(known: Card) -> str:
    return TERRAIN[known.faction]


class _Sort(NamedTuple):
    """The singular and plural of a sort of cards. The names of faction and great artefact are looked up later."""

    one: str
    many: str
    faction: str = ""
    great: str = ""


@lru_cache(maxsize=4096)
def _sort(id_: str) -> _Sort:
    try:
        known = CARDS[names(id_)]
    except (KeyError, ValueError):  # a key of a later release or of a test
        readable = id_.replace("-", " ").replace("_", " ")
        return _Sort(readable, readable)
    if known.group == "great":
        return _Sort("", "", great=known.kind)
    kind = known.kind
    if known.group in ("road", "city"):
        kind = f"{SHAPES.get(kind, kind)} {known.group} card"
    kind = f"Unbound {kind}" if known.unbound else kind
    return _Sort(kind, _plural(kind), known.faction)


def _noun(sort: _Sort, named: Named) -> tuple[str, str]:
    """Singular and plural with the faction. A great artefact has a name."""
    if sort.great:
        name = named("great", sort.great)
        return name, name
    of = f" of the {named('faction', sort.faction)}" if sort.faction else ""
    return sort.one + of, sort.many + of


def _tallied(sorts: Iterable[_Sort]) -> Iterable[tuple[_Sort, int]]:
    """Each sort once with its count. Creating a `Counter` takes longer than counting a hand."""
    counts: dict[_Sort, int] = {}
    for sort in sorts:
        counts[sort] = counts.get(sort, 0) + 1
    return counts.items()


def _plural(kind: str) -> str:
    if kind.endswith("frimen"):
        return kind
    return kind[:-1] + "ies" if kind.endswith("y") else kind + "s"


def _counted(nouns: Iterable[tuple[tuple[str, str], int]]) -> str:
    words = []
    for (one, many), count in nouns:
        if count > 1 and not one.startswith("the "):
            words.append(f"{numeral(count)} {many}")
        else:
            words.append(_single(one))
    return joined(words)


@lru_cache(maxsize=4096)
def _single(one: str) -> str:
    """The noun with its article; a noun that begins with ``the`` is unchanged."""
    if one.startswith("the "):
        return one
    return ("an " if one[0].lower() in "aeiou" else "a ") + one
