"""The commands of Battalia. Cards are named by their identities, squares as ``C4``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from domain.kernel.shape import catalogue

Cards = tuple[str, ...]


# -- setting up -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChooseFaction:
    """Choose a faction during setup (SET-14)."""

    faction: str


@dataclass(frozen=True, slots=True)
class ChooseStart:
    """Choose a start square during setup (SET-14)."""

    square: str


# -- the turn ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mulligan:
    """Discard the hand and draw one card fewer (TURN-01)."""


@dataclass(frozen=True, slots=True)
class ShowCohort:
    """Show a cohort of hand cards to draw more cards (TURN-02)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn (TURN-06)."""


@dataclass(frozen=True, slots=True)
class HireUnit:
    """Hire a unit: a rank, or ``unbound-`` and a rank (PAY-01)."""

    unit: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class TakeSupply:
    """Take a supply card (PAY-02)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class TakeArtefact:
    """Take an artefact (PAY-03). ``faction`` chooses a faction of the matching type (DAY-07); empty takes the top card."""

    artefact: str
    cards: Cards
    faction: str = ""


@dataclass(frozen=True, slots=True)
class BuildRoad:
    """Build a road (PAY-04, PAY-05). With the Staff of Terra, ``terrain`` names the faction of the card."""

    shape: str
    square: str
    exits: str
    """Some of N, E, S, W, in this order."""
    cards: Cards
    terrain: str = ""


@dataclass(frozen=True, slots=True)
class FoundCity:
    """Found a city (PAY-06). A player without a city can also do it by END-03."""

    shape: str
    square: str
    exits: str
    level: int
    cards: Cards
    terrain: str = ""


@dataclass(frozen=True, slots=True)
class UpgradeCity:
    """Upgrade a city by one level (PAY-07)."""

    square: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class RebuildCity:
    """Rebuild a city of level 0 (PAY-08)."""

    square: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class Step:
    """Move a hero by one square (PAY-11). If that starts a battle: ``units``, ``support``, ``ambush`` form the line."""

    hero: str
    to: str
    cards: Cards = ()
    """The cards that pay for the step; empty if it is free or already paid."""
    units: Cards = ()
    support: Cards = ()
    """Artefacts, Sword and Shield."""
    ambush: Cards = ()
    """Own face-down cards."""
    against: int = 0
    """MAP-09: the seat to fight; 0 for a neutral city and the ruins."""


@dataclass(frozen=True, slots=True)
class UseAmulet:
    """Roll for amulets (ART-03)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class PitchTent:
    """Keep a hand card in a tent (ART-07)."""

    tent: str
    keep: Cards


@dataclass(frozen=True, slots=True)
class HideCard:
    """Put a hand card face down as an ambush (ART-08)."""

    card: str


@dataclass(frozen=True, slots=True)
class SoundHorn:
    """Play the Horn of Baldur: a disbanded hero returns now (ART-09)."""

    hero: str
    square: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class SpreadWings:
    """Play the Wings of Aviena: a hero walks free this turn (ART-09)."""

    hero: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class ReachOut:
    """Play the Hand of Luut: take the top card of a pile (ART-09). ``faction`` is the same as in `TakeArtefact`."""

    pile: str
    cards: Cards
    faction: str = ""


# -- answers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Defend:
    """Lay the defender's line, which can be empty (BAT-01)."""

    units: Cards = ()
    support: Cards = ()
    ambush: Cards = ()
    tactics: Cards = ()
    """Additions to the line that modules offer to the defender."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Choose the card that an amulet with a six becomes, such as ``lord-islanders`` (ART-03)."""

    card: str


@dataclass(frozen=True, slots=True)
class TakeSpoils:
    """Take a great artefact after winning against the ruins (BAT-11)."""

    card: str


@dataclass(frozen=True, slots=True)
class ReturnHero:
    """Return a disbanded hero to a square (BAT-13)."""

    square: str


@dataclass(frozen=True, slots=True)
class Flee:
    """Flee from a destroyed city (RAM-14)."""

    to: str


@dataclass(frozen=True, slots=True)
class TurnDay:
    """Start the next day (DAY-02). Only the game itself sends this command."""


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
