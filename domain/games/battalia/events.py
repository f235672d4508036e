"""The events of Battalia. ``paid`` are the cards of the line that paid for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from domain.kernel.draws import Draw, draws
from domain.kernel.shape import catalogue
from domain.kernel.terms import Seat

Cards = tuple[str, ...]


# -- setting up -------------------------------------------------------------------------------------------------------


@draws(
    Draw(
        "factions",
        "shuffle",
        text="with two seats only: of `barfolk, islanders, emberians, cloudborn` (with Stormgates also `wolfsclan, sunblessed`); "
        "three are kept, those that come first, and stand in the order in which they stood before the shuffle",
    ),
    Draw(
        "piles[]",
        "shuffle",
        text="each pile with its cards numbered upward, for one faction after another in the order of `factions`, in this order: "
        "frimen, chief, priest, lord, unbound (if it is there; its cards by these four ranks, two of each), supply, tool, horse, "
        "weapon, amulet, tent, title, scroll, road-straight, road-bend, road-tee, road-cross, city-end, city-straight, city-bend, "
        "city-tee, city-cross; the field holds what is left once cards were dealt from the front: to each seat in turn three "
        "frimen, one chief, one priest and five supplies, and as many city-cross as there are `neutrals`",
    ),
    Draw(
        "decks[]",
        "shuffle",
        text="each seat's, seat 1 first, begins with the cards dealt to it, in the order in which they were dealt",
    ),
    Draw(
        "great",
        "shuffle",
        of=tuple(
            f"great-{name}"
            for name in ("sword", "shield", "hammer", "horn", "wings", "crown", "hand", "pavilion", "staff", "book")
        ),
        text="`great` and after it `gone`",
    ),
    Draw(
        "order",
        "number",
        text="below the number of seats; `order` begins with the seat of that number, counted from 0, and goes round",
    ),
)
@dataclass(frozen=True, slots=True)
class BattaliaBegun:
    """The game began with this setup (SET). The order of piles and decks is secret, their content is not."""

    ruleset: str
    options: Mapping[str, Any]
    modules: Cards
    factions: Cards
    columns: int
    rows: int
    starts: Cards
    centre: str
    order: tuple[Seat, ...]
    markers: int
    piles: Mapping[str, Cards]
    decks: Mapping[Seat, Cards]
    """In drawing order. The first ``hand`` cards are the seat's first hand."""
    hand: int
    great: Cards
    gone: Cards
    neutrals: Mapping[str, str]
    """The city card on each square."""
    neutral_level: int


@draws(
    Draw(
        "faction",
        "shuffle",
        text="where `answers` is 0: the first in a commit takes one shuffle of the `factions` of `battalia_begun`, in which seat 1 "
        "has the first, seat 2 the second, and so on; where seats chose, nothing is drawn",
    )
)
@dataclass(frozen=True, slots=True)
class FactionChosen:
    seat: Seat
    faction: str
    answers: int = 0
    """The serial of the question that this answers, here and below."""


@draws(
    Draw(
        "square",
        "shuffle",
        text="where `answers` is 0: likewise of the `starts` of `battalia_begun`",
    )
)
@dataclass(frozen=True, slots=True)
class StartPlaced:
    """A seat placed its start (SET-15)."""

    seat: Seat
    square: str
    card: str
    exits: str
    level: int
    heroes: Cards
    answers: int = 0


# -- the calendar -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DayAnnounced:
    """A new day was announced (DAY-02)."""

    day: int
    """1 to 7."""
    week: int
    lit: str
    matching: str
    agenda: Cards
    """The calendar's tasks today, in order."""


@dataclass(frozen=True, slots=True)
class MomentCame:
    """The next item of the agenda was done. No seat can read this."""

    moment: str


@dataclass(frozen=True, slots=True)
class MomentsAdded:
    """Tasks of a module were added, to do as soon as no question is pending. No seat can read this."""

    agenda: Cards
    """``<moment>:<module>`` each, as `Npc.act` gets them."""


@dataclass(frozen=True, slots=True)
class DayEnded:
    day: int
    week: int


@dataclass(frozen=True, slots=True)
class TurnBegan:
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnEnded:
    seat: Seat
    answers: int
    agenda: Cards
    """The tasks of the agenda that remain."""


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A question other than a turn or a defense was put to seats."""

    kind: str
    seats: tuple[Seat, ...]
    clause: str
    about: Mapping[str, Any]
    npc: str = ""


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """A question was answered that has no event of its own."""

    seat: Seat
    answers: int


@dataclass(frozen=True, slots=True)
class OrderGiven:
    """A standing order was given (ORD-01). Only its owner can read it."""

    seat: Seat
    order: Mapping[str, Any]
    """The command that gave it, as JSON with its type and every parameter."""


@dataclass(frozen=True, slots=True)
class OrderWithdrawn:
    """A standing order was withdrawn (ORD-01). Only its owner can read it."""

    seat: Seat
    order: str
    """The type of the command that had given it."""
    place: int


@dataclass(frozen=True, slots=True)
class OrderFollowed:
    """A standing order caused the next events (ORD-02)."""

    seat: Seat
    kind: str
    """Serial of the question."""


@dataclass(frozen=True, slots=True)
class SeatOut:
    """A seat is out of the game (END-06)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class EndReached:
    reason: str
    clause: str


# -- hand and deck ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandMulliganed:
    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class CohortShown:
    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    seat: Seat
    cards: Cards


@draws(Draw("order", "shuffle", text="begins with the same cards in the order of their bytes"))
@dataclass(frozen=True, slots=True)
class DeckShuffled:
    """The discard pile was shuffled into a new deck (TURN-06)."""

    seat: Seat
    order: Cards


@dataclass(frozen=True, slots=True)
class CardsDiscarded:
    """Cards were discarded: from the hand, from play, or from tents."""

    seat: Seat
    cards: Cards


# -- actions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CardTaken:
    """A card of a common pile was put into the discard pile (PAY-01 to PAY-03, the Hand of Luut)."""

    seat: Seat
    pile: str
    card: str
    paid: Cards


@dataclass(frozen=True, slots=True)
class RoadBuilt:
    seat: Seat
    card: str
    square: str
    exits: str
    paid: Cards


@dataclass(frozen=True, slots=True)
class CityFounded:
    seat: Seat
    card: str
    square: str
    exits: str
    level: int
    paid: Cards


@dataclass(frozen=True, slots=True)
class CityUpgraded:
    seat: Seat
    square: str
    level: int
    paid: Cards


@dataclass(frozen=True, slots=True)
class CityRebuilt:
    seat: Seat
    square: str
    level: int
    paid: Cards


@dataclass(frozen=True, slots=True)
class HeroStepped:
    seat: Seat
    hero: str
    origin: str
    to: str
    paid: Cards
    steps: int
    """Steps that are paid and left after it."""


@dataclass(frozen=True, slots=True)
class StepPaid:
    """A hero stepped onto the figure of a module, which ends the move. The next events are the consequences."""

    seat: Seat
    hero: str
    to: str
    paid: Cards


@draws(Draw("rolls[]", "die", 6))
@dataclass(frozen=True, slots=True)
class AmuletRolled:
    """Amulets were rolled (ART-03). ``tokens`` are the results of all rolls except sixes."""

    seat: Seat
    paid: Cards
    rolls: tuple[int, ...]
    tokens: Cards


@dataclass(frozen=True, slots=True)
class WishGranted:
    seat: Seat
    token: str
    answers: int


@dataclass(frozen=True, slots=True)
class CardsKept:
    """Cards were kept in a tent (ART-07). Only their owner sees them."""

    seat: Seat
    tent: str
    kept: Cards
    brief: bool


@dataclass(frozen=True, slots=True)
class CardHidden:
    """A card was hidden as an ambush (ART-08)."""

    seat: Seat
    card: str


@dataclass(frozen=True, slots=True)
class WingsSpread:
    seat: Seat
    hero: str
    paid: Cards
    tokens: Cards


@dataclass(frozen=True, slots=True)
class HornSounded:
    seat: Seat
    paid: Cards
    tokens: Cards


@dataclass(frozen=True, slots=True)
class HandReached:
    """The Hand of Luut was played. The next event shows the card that it took."""

    seat: Seat
    paid: Cards
    tokens: Cards


@dataclass(frozen=True, slots=True)
class LinePaid:
    """A line was paid for an action of a module."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class CardsLaid:
    """Hand cards were laid open. They remain in play until they are discarded."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class HeroJoined:
    """The figure of a module joined the player as a hero."""

    seat: Seat
    hero: str
    square: str
    native: bool
    returns: bool


@dataclass(frozen=True, slots=True)
class HeroLeft:
    """A figure stopped being a player's hero."""

    seat: Seat
    hero: str


@dataclass(frozen=True, slots=True)
class HeroReturned:
    seat: Seat
    hero: str
    square: str
    answers: int = 0


# -- battle -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BattleBegan:
    seat: Seat
    hero: str
    origin: str
    square: str
    defender: Seat
    """0 if a neutral city or the ruins are attacked."""
    paid: Cards
    steps: int


@dataclass(frozen=True, slots=True)
class LinePledged:
    """The attacker laid a line, which others cannot see (BAT-01)."""

    seat: Seat
    cards: Cards
    ambush: Cards


@draws(Draw("rolls[]", "die", 6))
@dataclass(frozen=True, slots=True)
class LineRevealed:
    seat: Seat
    cards: Cards
    ambush: Cards
    """Played from the slots; they go back under their piles."""
    rolls: tuple[int, ...]
    """BAT-15: the amulets', in the order of the cards."""
    answers: int = 0


@dataclass(frozen=True, slots=True)
class BattleFought:
    """A battle was fought. The parts of each strength are ``cards``, ``level``, ``terrain``, ``moral`` and those of modules."""

    seat: Seat
    """The attacker."""
    hero: str
    square: str
    defender: Seat
    attack: Mapping[str, int]
    defence: Mapping[str, int]
    strength: int
    against: int
    winner: Seat


@dataclass(frozen=True, slots=True)
class FigureFought:
    """A player fought the figure of a module, which has a strength and no line."""

    seat: Seat
    hero: str
    square: str
    npc: str
    parts: Mapping[str, int]
    """The parts of the player's strength, as in `BattleFought`."""
    strength: int
    against: int
    won: bool
    """Whether the player won."""


@dataclass(frozen=True, slots=True)
class HeroDisbanded:
    seat: Seat
    hero: str
    square: str
    answers: int = 0


@dataclass(frozen=True, slots=True)
class HeroEntered:
    """A hero entered the square that was won."""

    seat: Seat
    hero: str
    square: str


@dataclass(frozen=True, slots=True)
class CityTaken:
    seat: Seat
    square: str
    level: int
    loser: Seat


@dataclass(frozen=True, slots=True)
class CityLevelled:
    """A city lost levels."""

    square: str
    level: int


@dataclass(frozen=True, slots=True)
class CityDestroyed:
    """A city was destroyed. Its card was put under its pile."""

    square: str
    card: str
    owner: Seat


@dataclass(frozen=True, slots=True)
class RuinsBeaten:
    seat: Seat


@dataclass(frozen=True, slots=True)
class SpoilsTaken:
    seat: Seat
    card: str
    answers: int


@dataclass(frozen=True, slots=True)
class HeroFled:
    """A hero fled from a destroyed city (RAM-14)."""

    seat: Seat
    hero: str
    origin: str
    to: str
    answers: int = 0


Later = (
    FactionChosen
    | StartPlaced
    | DayAnnounced
    | MomentCame
    | MomentsAdded
    | DayEnded
    | TurnBegan
    | TurnEnded
    | QuestionAsked
    | QuestionAnswered
    | OrderGiven
    | OrderWithdrawn
    | OrderFollowed
    | SeatOut
    | EndReached
    | HandMulliganed
    | CohortShown
    | CardsDrawn
    | DeckShuffled
    | CardsDiscarded
    | CardTaken
    | RoadBuilt
    | CityFounded
    | CityUpgraded
    | CityRebuilt
    | HeroStepped
    | StepPaid
    | AmuletRolled
    | WishGranted
    | CardsKept
    | CardHidden
    | WingsSpread
    | HornSounded
    | HandReached
    | LinePaid
    | CardsLaid
    | HeroJoined
    | HeroLeft
    | HeroReturned
    | BattleBegan
    | LinePledged
    | LineRevealed
    | BattleFought
    | FigureFought
    | HeroDisbanded
    | HeroEntered
    | CityTaken
    | CityLevelled
    | CityDestroyed
    | RuinsBeaten
    | SpoilsTaken
    | HeroFled
)
"""Events after the cards are dealt."""
Event = BattaliaBegun | Later

EVENTS: dict[str, type[Event]] = catalogue(*get_args(Event))
