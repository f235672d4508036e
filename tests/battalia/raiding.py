"""Positions with the Unbound Buff: free on a road, hired, or about to enter."""

from __future__ import annotations

from domain.games.battalia.commands import Defend, Step
from domain.games.battalia.events import HeroJoined
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.commands import PlaceBet
from domain.games.battalia.modules.unbound_buff.events import BuffHired
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.state import changed
from domain.kernel.terms import Seat
from tests.battalia.laid import at, hand, morning, night, remembers, road, table, turn_of
from tests.story import LoadedDice, Story

ALONE = ("unbound_buff",)
KEY = "unbound_buff"


def free(state, square, horde=6, **memory):
    """Puts the free Buff on the square."""
    return remembers(state, KEY, square=square, horde=horde, **memory)


def hired(state, seat, square, until=14):
    """The Buff serves the seat and is on the square."""
    decision = start_decision(free(state, square), LoadedDice())
    decision.happen(BuffHired(Seat(seat), square, until, until % 7 + 1, until // 7 + 1))
    decision.happen(HeroJoined(Seat(seat), "buff", square, native=False, returns=False))
    return decision.state


def memory(story):
    return story.state.npcs[KEY]


def question(story):
    """The kind of the pending question and its seats."""
    frame = story.state.asking[-1]
    return (frame.kind, frame.seats)


def great(state, seat, card):
    """Moves the great artefact to the seat's hand."""
    players = {**state.players, Seat(seat): changed(state.players[seat], hand=(*state.players[seat].hand, card))}
    rest = {zone: tuple(other for other in getattr(state, zone) if other != card) for zone in ("great", "gone")}
    return changed(state, players=players, **rest)


def betting(*hands, seats=2, day=6, modules=ALONE, faces=(), state=None, **options):
    """The check-point at which all seats bet, with these hands (each a list of card sorts)."""
    state = state or table(seats, modules, **options)
    for seat, sorts in enumerate(hands, 1):
        state = hand(state, seat, *sorts)
    return morning(night(state, day), *faces)


def bet(story, seat, *places):
    """The seat bets the cards at these positions of its hand."""
    cards = story.state.players[seat].hand
    return story.when(seat, PlaceBet(tuple(cards[place] for place in places)))


def street(seats=2, modules=ALONE, **options):
    """Roads on Emberian terrain east of seat 1's city A1: B1, C1, D1 (two players only), and C2 as a side road."""
    state = table(seats, modules, **options)
    state = road(state, "B1", "EW", "emberians")
    state = road(state, "C1", "ESW", "emberians")
    if seats == 2:
        state = road(state, "D1", "EW", "emberians")
    return road(state, "C2", "NS", "emberians")


def walking(state, *cards, hero="hero-1-1", to="B1", pay=True):
    """Seat 1's hero pays a supply to move to the Buff's square. The seat also has these cards in hand."""
    state = hand(turn_of(state, 1), 1, *(["supply"] if pay else []), *cards)
    paid = state.players[1].hand[:1] if pay else ()
    return Story(BATTALIA, state).when(1, Step(hero, to, paid))


def met(*cards, square="B1", **memory):
    """Seat 1's hero enters the free Buff's square. The seat has these cards to answer with."""
    state = free(street(), square, **memory)
    return walking(at(state, hero_1_1="A1"), *cards)


def attacked(state, *line, defence=(), tactics=()):
    """Seat 2's hero on D1 attacks C1."""
    state = hand(hand(turn_of(at(state, hero_2_1="D1"), 2), 2, "supply", *line), 1, *defence)
    supply, *units = state.players[2].hand
    story = Story(BATTALIA, state).when(2, Step("hero-2-1", "C1", (supply,), tuple(units), against=1))
    return story.when(1, Defend(state.players[1].hand, tactics=tactics))
