"""The events about the Unbound Buff and his horde, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.kernel.draws import Draw, draws
from domain.kernel.shape import catalogue
from domain.kernel.terms import Seat

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
    """The seat that chooses the entrance."""
    bets: Mapping[Seat, Cards]
    totals: Mapping[Seat, int]
    by: str
    """The criterion that decided: ``strength``, ``points`` or ``lot``."""


@dataclass(frozen=True, slots=True)
class BuffEntered:
    """Buff entered the map (BUF-03)."""

    seat: Seat
    """The seat that chose."""
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
    """The seat that moved him."""
    origin: str
    to: str
    left: int
    """Squares that he may still move."""
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
    """``repelled`` (BUF-12), ``beaten`` (BUF-17) or ``city``: the city under him was destroyed (RAM-14)."""


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
    "order_given.set_bet-nothing": "{seat:seat}'s standing order {place} for bets on the Unbound Buff: bet nothing.",
    "order_given.set_bet-all": "{seat:seat}'s standing order {place} for bets on the Unbound Buff: bet everything[, except {spare:kinds}].",
    "order_given.set_bet-exactly": (
        "{seat:seat}'s standing order {place} for bets on the Unbound Buff: bet cards with a strength of exactly {number}[, without {spare:kinds}]."
    ),
    "order_given.set_bet-at_most": (
        "{seat:seat}'s standing order {place} for bets on the Unbound Buff: bet cards with a strength of at most {number}[, without {spare:kinds}]."
    ),
    "order_given.set_entrance": "{seat:seat}'s standing order for the entrance of the Unbound Buff: {first:ranked}.",
    "order_given.set_victim": "{seat:seat}'s standing order for the Unbound Buff: attack heroes of these players in this order: {first:seats}.",
    "order_given.set_stir-leave": "{seat:seat}'s standing order for the Unbound Buff: leave him alone.",
    "order_given.set_raid-bribe": (
        "{seat:seat}'s standing order {place} for attacks by the Unbound Buff: bribe him with at most {most} {most:card|cards}"
        "[, without {spare:kinds}]."
    ),
    "order_given.set_raid-hire": (
        "{seat:seat}'s standing order {place} for attacks by the Unbound Buff: hire him with at most {most} {most:card|cards}"
        "[, without {spare:kinds}]."
    ),
    "order_given.set_raid-nothing": "{seat:seat}'s standing order {place} for attacks by the Unbound Buff: play no cards.",
    "order_given.set_raid-all": (
        "{seat:seat}'s standing order {place} for attacks by the Unbound Buff: play all fighting cards, "
        "at most {most} {most:card|cards}[, except {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_raid-reach": (
        "{seat:seat}'s standing order {place} for attacks by the Unbound Buff: play enough cards for a strength of {number}, "
        "at most {most} {most:card|cards}[, except {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_raid-win": (
        "{seat:seat}'s standing order {place} for attacks by the Unbound Buff: play enough cards to win by {number}, "
        "at most {most} {most:card|cards}[, except {spare:kinds}]; {ambush:ambush}."
    ),
    "order_withdrawn.set_bet": "{seat:seat} withdraws standing order {place} for bets on the Unbound Buff.",
    "order_withdrawn.set_entrance": "{seat:seat} withdraws the standing order for the entrance of the Unbound Buff.",
    "order_withdrawn.set_victim": "{seat:seat} withdraws the standing order for victims of the Unbound Buff.",
    "order_withdrawn.set_stir": "{seat:seat} withdraws the standing order to leave the Unbound Buff alone.",
    "order_withdrawn.set_raid": "{seat:seat} withdraws standing order {place} for attacks by the Unbound Buff.",
}
"""Texts of standing orders, by type of command."""

SENTENCES: Mapping[str, str | Sequence[str]] = {
    "bet_placed": "{seat:seat} secretly bets [{cards:cards}~nothing].",
    "bets_revealed": (
        "The bets are revealed: {totals:totals}. {seat:seat} has the highest bet and chooses where the Unbound Buff enters."
    ),
    "bets_revealed.points": (
        "The bets are revealed: {totals:totals}. Among the highest bets, {seat:seat} has the most points and chooses where the "
        "Unbound Buff enters."
    ),
    "bets_revealed.lot": (
        "The bets are revealed: {totals:totals}. The tie is decided by lot: {seat:seat} chooses where the Unbound "
        "Buff enters."
    ),
    "buff_entered": "{seat:seat} sends the Unbound Buff to {square:square}, with a horde of {horde}.",
    "horde_grown": "The Unbound Buff's horde grows to {horde}.",
    "buff_rolled": "{seat:seat} rolls a {roll} for the Unbound Buff.",
    "buff_moved": "{seat:seat} moves the Unbound Buff from {origin:square} to {to:square}.",
    "buff_left_alone": "{seat:seat} leaves the Unbound Buff alone.",
    "buff_attacked": "The Unbound Buff attacks {hero:whose} on {square:square} with a horde of {horde}.",
    "victim_picked": "{seat:seat} lets the Unbound Buff attack {hero:whose}.",
    "buff_bribed": "{seat:seat} bribes the Unbound Buff on {square:square} until day {day} of week {week}.",
    "bribe_ended": "{seat:seat}'s bribe of the Unbound Buff has ended.",
    "buff_hired": "{seat:seat} hires the Unbound Buff on {square:square} until day {day} of week {week}.",
    "buff_freed": "The Unbound Buff no longer serves {seat:seat} and is free on {square:square}, with a horde of {horde}.",
    "buff_gone": "The Unbound Buff leaves the map from {square:square}, because {why:departure}.",
    **ORDERS,
    "question_asked.bet": "{seats:seats} must bet in secret for the right to choose where the Unbound Buff enters.",
    "question_asked.entrance": "{seats:seats} must choose where the Unbound Buff enters.",
    "question_asked.stir": "The Unbound Buff is on {square:square}, and {seats:seats} may move him.",
    "question_asked.march": "The Unbound Buff may move {left:number} more {left:square|squares} from {square:square}.",
    "question_asked.victim": "{seats:seats} must choose whom the Unbound Buff attacks on {square:square}.",
    "question_asked.attacked": "{seats:seats} must bribe, hire or fight the Unbound Buff on {square:square}.",
}

ASKS: Mapping[str, str | Sequence[str]] = {
    "bet": "Bet cards, or bet none. The highest bet chooses where the Unbound Buff enters. Bets stay secret until all have bet.",
    "entrance": "Choose where the Unbound Buff enters.",
    "stir": "The Unbound Buff is on {square:square}. Roll and move him, or leave him alone.",
    "march": "Move the Unbound Buff from {square:square} by up to {left:number} {left:square|squares}, or leave him there.",
    "victim": "Choose which hero on {square:square} the Unbound Buff attacks.",
    "attacked": "The Unbound Buff attacks {hero:yours} on {square:square}. Bribe him, hire him, or fight.",
}
