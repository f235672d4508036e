"""The commands of Battalia. Cards are named by their identities, squares as ``C4``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from domain.shape import catalogue

Cards = tuple[str, ...]


# -- setting up -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChooseFaction:
    """SET-14."""

    faction: str


@dataclass(frozen=True, slots=True)
class ChooseStart:
    """SET-14."""

    square: str


# -- the turn ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mulligan:
    """TURN-01."""


@dataclass(frozen=True, slots=True)
class ShowCohort:
    """TURN-02."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class EndTurn:
    """TURN-06."""


@dataclass(frozen=True, slots=True)
class HireUnit:
    """PAY-01: a rank, or ``unbound-`` and a rank."""

    unit: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class TakeSupply:
    """PAY-02."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class TakeArtefact:
    """PAY-03; ``faction`` may be named for the matching type (DAY-07), empty means the top card."""

    artefact: str
    cards: Cards
    faction: str = ""


@dataclass(frozen=True, slots=True)
class BuildRoad:
    """PAY-04, PAY-05; ``terrain`` names the faction of the card where the Staff of Terra is played."""

    shape: str
    square: str
    exits: str
    """Some of N, E, S, W, in this order."""
    cards: Cards
    terrain: str = ""


@dataclass(frozen=True, slots=True)
class FoundCity:
    """PAY-06, and END-03 for who has no city."""

    shape: str
    square: str
    exits: str
    level: int
    cards: Cards
    terrain: str = ""


@dataclass(frozen=True, slots=True)
class UpgradeCity:
    """PAY-07."""

    square: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class RebuildCity:
    """PAY-08."""

    square: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class Step:
    """PAY-11: one hero, one square. Where that starts a battle, ``units``, ``support`` and ``ambush`` are the line."""

    hero: str
    to: str
    cards: Cards = ()
    """What pays for the step; empty where it is free or paid already."""
    units: Cards = ()
    support: Cards = ()
    """Artefacts, Sword and Shield."""
    ambush: Cards = ()
    """Of the player's own face-down cards."""
    against: int = 0
    """MAP-09: the seat that is fought; 0 for a neutral city and the ruins."""


@dataclass(frozen=True, slots=True)
class UseAmulet:
    """ART-03."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class PitchTent:
    """ART-07."""

    tent: str
    keep: Cards


@dataclass(frozen=True, slots=True)
class HideCard:
    """ART-08: the ambush."""

    card: str


@dataclass(frozen=True, slots=True)
class SoundHorn:
    """ART-09: a disbanded hero returns now."""

    hero: str
    square: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class SpreadWings:
    """ART-09: one hero walks free this turn."""

    hero: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class ReachOut:
    """ART-09, the Hand of Luut: the top card of a pile; ``faction`` as in `TakeArtefact`."""

    pile: str
    cards: Cards
    faction: str = ""


# -- answers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Defend:
    """BAT-01: the defender's line, which may be empty."""

    units: Cards = ()
    support: Cards = ()
    ambush: Cards = ()
    tactics: Cards = ()
    """Words that modules let the defender add to the line."""


@dataclass(frozen=True, slots=True)
class Wish:
    """ART-03, a six: what the amulet becomes, such as ``lord-islanders``."""

    card: str


@dataclass(frozen=True, slots=True)
class TakeSpoils:
    """BAT-11."""

    card: str


@dataclass(frozen=True, slots=True)
class ReturnHero:
    """BAT-13."""

    square: str


@dataclass(frozen=True, slots=True)
class Flee:
    """RAM-14: from a destroyed city."""

    to: str


@dataclass(frozen=True, slots=True)
class TurnDay:
    """DAY-02: the only command of SYSTEM."""


Command = (
    ChooseFaction
    | ChooseStart
    | Mulligan
    | ShowCohort
    | EndTurn
    | HireUnit
    | TakeSupply
    | TakeArtefact
    | BuildRoad
    | FoundCity
    | UpgradeCity
    | RebuildCity
    | Step
    | UseAmulet
    | PitchTent
    | HideCard
    | SoundHorn
    | SpreadWings
    | ReachOut
    | Defend
    | Wish
    | TakeSpoils
    | ReturnHero
    | Flee
    | TurnDay
)

COMMANDS: dict[str, type[Command]] = catalogue(*get_args(Command))
