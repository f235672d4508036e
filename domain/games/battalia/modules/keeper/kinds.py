"""The Keeper's command, refusal and events, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.kernel.draws import Draw, draws
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Seat

Cards = tuple[str, ...]

KEYS = {
    "emberians": ("red", "fire"),
    "cloudborn": ("gold", "air"),
    "barfolk": ("green", "earth"),
    "islanders": ("blue", "water"),
    "wolfsclan": ("white", "moon"),
    "sunblessed": ("orange", "sun"),
}
"""KEE-03: color and element of each faction's key."""


# -- commands ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChallengeKeeper:
    """Challenge the Keeper to a duel with this line (KEE-05)."""

    hero: str
    units: Cards = ()
    support: Cards = ()
    ambush: Cards = ()


# -- events -----------------------------------------------------------------------------------------------------------


@draws(Draw("rolls[]", "die", 6))
@dataclass(frozen=True, slots=True)
class KeeperEntered:
    """The Keeper entered the map (KEE-01)."""

    square: str
    gate: int | None
    """None without gates (GATE-02)."""
    rolls: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeeperSummoned:
    """The Keeper was put on the square of a battle (KEE-02)."""

    origin: str
    square: str


@dataclass(frozen=True, slots=True)
class KeeperChallenged:
    """A hero challenged the Keeper (KEE-05)."""

    seat: Seat
    hero: str
    square: str
    turn: int
    """The day, counted from 0: a hero challenges once in his turn."""


@dataclass(frozen=True, slots=True)
class KeyGiven:
    """A player received a key (KEE-03, KEE-05)."""

    seat: Seat
    faction: str
    colour: str
    element: str
    by: str
    """``battle`` or ``duel``."""


# -- refusals ---------------------------------------------------------------------------------------------------------


class NoKeyToWin(RuleViolation):
    """The Keeper has no key for the player or is not on the map."""

    code = "no-key-to-win"
    rule = "KEE-05"


SENTENCES: Mapping[str, str | Sequence[str]] = {
    "keeper_entered": (
        "The Keeper enters through gate {gate} on {square:square}, with a roll of {rolls:list}.",
        "The Keeper enters the map on {square:square}.",
    ),
    "game_ended.outranked": (
        "The game is over. {winners:seats} {winners:wins|win}, because keys count before points. Final score: {scores:standings}."
    ),
    "end_reached.keys": "The end condition is met: a player holds every key and enough cities of the highest level.",
    "keeper_summoned": "The battle draws the Keeper from {origin:square} to {square:square}.",
    "keeper_challenged": "{seat:seat} challenges the Keeper on {square:square} with {hero:hero}.",
    "key_given": "{seat:seat} wins the {colour} key of {element:element} from the {faction:faction}.",
    "key_given.duel": "{seat:seat} gets the {colour} key of {element:element}, the key of the {faction:faction}, from the Keeper.",
}
REMARKS: Mapping[str, str | Sequence[str]] = {
    "key_won": "You won the {colour} key of {element:element}.",
    "rival_key": "{seat:seat} won the {colour} key of {element:element}.",
}
