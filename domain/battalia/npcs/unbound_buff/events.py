"""Everything that can have happened to the Unbound Buff and his horde."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.play.draws import Draw, draws
from domain.shape import catalogue
from domain.terms import Seat

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """A bet was placed (BUF-01). It is secret until the reveal; the cards stay in the hand."""

    seat: Seat
    cards: Cards


@draws(
    Draw(
        "seat",
        "choice",
        text="only where `by` is `lot`: among the seats that lead in `totals` and, of these, in points, in the `order` of `battalia_begun` as far as "
        "they are still in the game",
    )
)
@dataclass(frozen=True, slots=True)
class BetsRevealed:
    """All bets were revealed (BUF-02)."""

    seat: Seat
    """Who chooses the entrance."""
    bets: Mapping[Seat, Cards]
    totals: Mapping[Seat, int]
    by: str
    """What decided: ``strength``, ``points`` or ``lot``."""


@dataclass(frozen=True, slots=True)
class BuffEntered:
    """Buff entered the map (BUF-03)."""

    seat: Seat
    """Who chose."""
    square: str
    horde: int
    answers: int = 0


@dataclass(frozen=True, slots=True)
class HordeGrown:
    """The strength of the horde grew (BUF-05)."""

    horde: int


@draws(Draw("roll", "die", 6))
@dataclass(frozen=True, slots=True)
class BuffRolled:
    """A seat rolled for Buff's move (BUF-06)."""

    seat: Seat
    roll: int
    answers: int


@dataclass(frozen=True, slots=True)
class BuffMoved:
    """Buff moved (BUF-07)."""

    seat: Seat
    """Who moved him."""
    origin: str
    to: str
    left: int
    """Squares that he may still go."""
    answers: int


@dataclass(frozen=True, slots=True)
class BuffLeftAlone:
    """The seat that moves Buff stopped (BUF-06)."""

    seat: Seat
    answers: int


@dataclass(frozen=True, slots=True)
class BuffAttacked:
    """Buff attacked a hero of this player (BUF-08, BUF-09)."""

    seat: Seat
    hero: str
    square: str
    horde: int


@dataclass(frozen=True, slots=True)
class VictimPicked:
    """The seat that moves Buff chose the hero to attack (BUF-08)."""

    seat: Seat
    hero: str
    answers: int


@dataclass(frozen=True, slots=True)
class BuffBribed:
    """A player bribed Buff (BUF-10)."""

    seat: Seat
    square: str
    until: int
    """The day, counted from 0, on which it ends; the date follows."""
    day: int
    week: int
    answers: int


@dataclass(frozen=True, slots=True)
class BribeEnded:
    """A bribe ended (BUF-10)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BuffHired:
    """A player hired Buff (BUF-11)."""

    seat: Seat
    square: str
    until: int
    """The day, counted from 0, on which it ends; the date follows."""
    day: int
    week: int
    answers: int = 0


@dataclass(frozen=True, slots=True)
class BuffFreed:
    """Buff became free (BUF-18, END-06)."""

    seat: Seat
    square: str
    horde: int


@dataclass(frozen=True, slots=True)
class BuffGone:
    """Buff left the map until the end of the week."""

    square: str
    why: str
    """``repelled`` (BUF-12), ``beaten`` (BUF-17) or ``city``, which was destroyed under him (RAM-14)."""


EVENTS = catalogue(
    BetPlaced,
    BetsRevealed,
    BuffEntered,
    HordeGrown,
    BuffRolled,
    BuffMoved,
    BuffLeftAlone,
    BuffAttacked,
    VictimPicked,
    BuffBribed,
    BribeEnded,
    BuffHired,
    BuffFreed,
    BuffGone,
)

NAMES: Mapping[str, Mapping[str, str]] = {
    "module": {"unbound_buff": "the Unbound Buff"},
    "figure": {"buff": "the Unbound Buff"},
    "part": {"unbound": "Unbound units"},
    "task": {
        "bet": "bet on where the Unbound Buff enters",
        "entrance": "choose where the Unbound Buff enters",
        "stir": "move the Unbound Buff, or let him be",
        "march": "move the Unbound Buff on, or let him be",
        "victim": "choose whom the Unbound Buff attacks",
        "attacked": "answer the attack of the Unbound Buff",
    },
    "departure": {
        "repelled": "his attack is repelled",
        "beaten": "a battle with him in it is lost",
        "city": "the city there is destroyed",
    },
}

ORDERS: Mapping[str, str | Sequence[str]] = {
    "order_given.set_bet-nothing": "{seat:seat} orders, in place {place}, that nothing is bet on the Unbound Buff.",
    "order_given.set_bet-all": "{seat:seat} orders, in place {place}, that all is bet on the Unbound Buff[, without {spare:kinds}].",
    "order_given.set_bet-exactly": (
        "{seat:seat} orders, in place {place}, that exactly {number} is bet on the Unbound Buff[, without {spare:kinds}]."
    ),
    "order_given.set_bet-at_most": (
        "{seat:seat} orders, in place {place}, that at most {number} is bet on the Unbound Buff[, without {spare:kinds}]."
    ),
    "order_given.set_entrance": "{seat:seat} orders that the Unbound Buff enters on {first:ranked}.",
    "order_given.set_victim": "{seat:seat} orders that the Unbound Buff is set upon heroes of {first:seats}, in this order.",
    "order_given.set_stir-leave": "{seat:seat} orders that the Unbound Buff is let be.",
    "order_given.set_raid-bribe": (
        "{seat:seat} orders, in place {place}, that the Unbound Buff is bribed, for {most} {most:card|cards} at most"
        "[, without {spare:kinds}]."
    ),
    "order_given.set_raid-hire": (
        "{seat:seat} orders, in place {place}, that the Unbound Buff is hired, for {most} {most:card|cards} at most"
        "[, without {spare:kinds}]."
    ),
    "order_given.set_raid-nothing": "{seat:seat} orders, in place {place}, that no card is laid against the Unbound Buff.",
    "order_given.set_raid-all": (
        "{seat:seat} orders, in place {place}, that all that fights is laid against the Unbound Buff, {most} {most:card|cards} at most"
        "[, without {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_raid-reach": (
        "{seat:seat} orders, in place {place}, that against the Unbound Buff what reaches a strength of {number} is laid, {most} "
        "{most:card|cards} at most[, without {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_raid-win": (
        "{seat:seat} orders, in place {place}, that against the Unbound Buff what wins by {number} is laid, {most} {most:card|cards} at "
        "most[, without {spare:kinds}]; {ambush:ambush}."
    ),
    "order_withdrawn.set_bet": "{seat:seat} withdraws the standing order for bets on the Unbound Buff, in place {place}.",
    "order_withdrawn.set_entrance": "{seat:seat} withdraws the standing order for the entrance of the Unbound Buff.",
    "order_withdrawn.set_victim": "{seat:seat} withdraws the standing order for victims of the Unbound Buff.",
    "order_withdrawn.set_stir": "{seat:seat} withdraws the standing order to let the Unbound Buff be.",
    "order_withdrawn.set_raid": "{seat:seat} withdraws the standing order for attacks of the Unbound Buff, in place {place}.",
}
"""Of standing orders, by the command that gives them."""

SENTENCES: Mapping[str, str | Sequence[str]] = {
    "bet_placed": "{seat:seat} bets [{cards:cards}~nothing], unseen.",
    "bets_revealed": (
        "The bets lie open: {totals:totals}. {seat:seat} has bet most and chooses where the Unbound Buff enters."
    ),
    "bets_revealed.points": (
        "The bets lie open: {totals:totals}. Of those who have bet most {seat:seat} has most points and chooses where the "
        "Unbound Buff enters."
    ),
    "bets_revealed.lot": (
        "The bets lie open: {totals:totals}. The lot among the first falls on {seat:seat}, who chooses where the Unbound "
        "Buff enters."
    ),
    "buff_entered": "{seat:seat} sends the Unbound Buff to {square:square}, with a horde of {horde}.",
    "horde_grown": "The horde of the Unbound Buff is {horde} strong now.",
    "buff_rolled": "{seat:seat} rolls a {roll} for the Unbound Buff.",
    "buff_moved": "{seat:seat} moves the Unbound Buff from {origin:square} to {to:square}.",
    "buff_left_alone": "{seat:seat} lets the Unbound Buff be.",
    "buff_attacked": "With a horde of {horde} the Unbound Buff falls upon {hero:whose} on {square:square}.",
    "victim_picked": "{seat:seat} sets the Unbound Buff upon {hero:whose}.",
    "buff_bribed": "{seat:seat} bribes the Unbound Buff on {square:square}, until day {day} of week {week}.",
    "bribe_ended": "The bribe of {seat:seat} binds the Unbound Buff no longer.",
    "buff_hired": "{seat:seat} hires the Unbound Buff on {square:square}, until day {day} of week {week}.",
    "buff_freed": "The Unbound Buff is free of {seat:seat} on {square:square}, with a horde of {horde}.",
    "buff_gone": "The Unbound Buff leaves the map from {square:square}: {why:departure}.",
    **ORDERS,
    "question_asked.bet": "In secret {seats:seats} bet on where the Unbound Buff is to enter.",
    "question_asked.entrance": "It is for {seats:seats} to choose where the Unbound Buff enters.",
    "question_asked.stir": "On {square:square} stands the Unbound Buff, and {seats:seats} may move him.",
    "question_asked.march": "From {square:square} the Unbound Buff may go {left:number} {left:square|squares} further.",
    "question_asked.victim": "On {square:square} it is for {seats:seats} to say whom the Unbound Buff attacks.",
    "question_asked.attacked": "It is for {seats:seats} to bribe the Unbound Buff on {square:square}, to hire him, or to fight.",
}

ASKS: Mapping[str, str | Sequence[str]] = {
    "bet": "Bet cards on where the Unbound Buff enters, or none; nobody sees them until all have bet.",
    "entrance": "Choose where the Unbound Buff enters.",
    "stir": "The Unbound Buff stands on {square:square}: roll and move him, or let him be.",
    "march": "Move the Unbound Buff on from {square:square}, {left:number} {left:square|squares} at most, or let him be.",
    "victim": "Say which of the heroes on {square:square} the Unbound Buff attacks.",
    "attacked": "The Unbound Buff attacks {hero:hero} on {square:square}: bribe him, hire him, or fight.",
}
