"""The cards: the data that an identity contains, independent of any game."""

from __future__ import annotations

from dataclasses import dataclass

FACTIONS = ("barfolk", "islanders", "emberians", "cloudborn", "wolfsclan", "sunblessed")
TERRAIN = {
    "barfolk": "forest",
    "islanders": "lake",
    "emberians": "desert",
    "cloudborn": "mountain",
    "wolfsclan": "tundra",
    "sunblessed": "plain",
}
RANKS = ("frimen", "chief", "priest", "lord")
ARTEFACTS = ("tool", "horse", "weapon", "amulet", "tent", "title", "scroll")
GREAT = ("sword", "shield", "hammer", "horn", "wings", "crown", "hand", "pavilion", "staff", "book")
ROADS = ("straight", "bend", "tee", "cross")
CITIES = ("end", "straight", "bend", "tee", "cross")
RUINS = "ruins"
UNBOUND = "unbound"
SUPPLY = "supply"

EXITS = {
    "end": ("N", "E", "S", "W"),
    "straight": ("NS", "EW"),
    "bend": ("NE", "ES", "SW", "NW"),
    "tee": ("NES", "ESW", "NSW", "NEW"),
    "cross": ("NESW",),
}
"""Every orientation of a card's shape: its exits, in the order N, E, S, W."""


@dataclass(frozen=True, slots=True)
class Card:
    """The printed data of a card.

    ``frimen-islanders-3``, ``unbound-lord-1``, ``supply-17``, ``weapon-emberians-2``, ``great-sword``,
    ``road-bend-barfolk-1``, ``city-tee-cloudborn-2``. The card that an amulet or the Book becomes for one turn is a
    token, such as ``priest-emberians~4``.
    """

    id: str
    group: str
    """``unit``, ``supply``, ``artefact``, ``great``, ``road`` or ``city``."""
    kind: str
    """The rank, the artefact's type, the great artefact's name, the shape of a terrain card, or ``supply``."""
    faction: str
    """Empty for cards without a faction."""
    rank: int
    """1 to 4 for a unit, else 0."""
    unbound: bool
    pile: str
    """The common pile of the card; empty for a great artefact."""
    token: bool


def _parse(id_: str) -> Card:
    base, _, serial = id_.partition("~")
    parts = base.split("-")
    if parts[-1].isdigit():
        parts.pop()
    head, faction = parts[0], parts[-1] if parts[-1] in FACTIONS else ""
    token = bool(serial)
    match head:
        case "unbound":
            return Card(id_, "unit", parts[1], "", RANKS.index(parts[1]) + 1, True, UNBOUND, token)
        case "supply":
            return Card(id_, "supply", SUPPLY, "", 0, False, SUPPLY, token)
        case "great":
            return Card(id_, "great", parts[1], "", 0, False, "", token)
        case "road" | "city":
            return Card(id_, head, parts[1], faction, 0, False, f"{head}-{parts[1]}", token)
    if head in RANKS:
        return Card(id_, "unit", head, faction, RANKS.index(head) + 1, False, head, token)
    if head in ARTEFACTS:
        return Card(id_, "artefact", head, faction, 0, False, head, token)
    raise KeyError(id_)


class _Cards(dict[str, Card]):
    def __missing__(self, id_: str) -> Card:
        card = self[id_] = _parse(id_)
        return card


CARDS = _Cards()
"""Every card by its identity. Raises KeyError or ValueError for an invalid one."""


def is_token(id_: str) -> bool:
    """Whether the card is a token, which is removed at the end of the turn."""
    return "~" in id_


BATTLE_ARTEFACTS = frozenset(("weapon", "horse", "amulet", "title", "scroll"))
BATTLE_GREAT = frozenset(("sword", "shield"))


def fights(id_: str) -> bool:
    """BAT-02: whether the card is allowed in a battle line."""
    card = CARDS[id_]
    return card.group == "unit" or card.kind in BATTLE_ARTEFACTS or card.kind in BATTLE_GREAT


def names(id_: str) -> str:
    """The card's sort: its identity without the number of the copy or the token's mark."""
    base = id_.partition("~")[0]
    head, _, tail = base.rpartition("-")
    return head if tail.isdigit() else base
