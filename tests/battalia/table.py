"""A table for stories: Bärfolk (seat 1, from A1) against Islanders (seat 2, from the far corner), arranged as needed.

Cards are moved, never created: an arranged state still contains every card once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from domain.games.battalia.cards import names
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.faults import where
from domain.games.battalia.state import BattaliaState, City, Frame, Tent, Tile, Turn, changed
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.shape import build
from domain.kernel.terms import Seat
from tests.story import Story

FACTIONS = ("barfolk", "islanders", "emberians", "cloudborn")
FAR = {2: ("A1", "G5"), 3: ("A1", "G1", "A7"), 4: ("A1", "G7", "G1", "A7")}


def table(seats: int = 2, *, modules: tuple[str, ...] = (), ruleset: str = "", **options: Any) -> BattaliaState:
    """Day 1 with seat 1 on turn. Seat i plays the i-th faction from the i-th start square."""
    return _table(seats, modules, ruleset, tuple(sorted(options.items())))


@lru_cache(maxsize=64)
def _table(seats: int, modules: tuple[str, ...], ruleset: str, options: tuple[tuple[str, Any], ...]) -> BattaliaState:
    setup = BATTALIA.rules.check(Setup(seats, ruleset, {"quick_setup": False, **dict(options)}, modules))
    for seed in range(200):
        story = dealt(setup, seed)
        if story.order[0] == 1 and story.factions[:3] == FACTIONS[:3]:
            return _seated(story)
    raise AssertionError("no such deal")


def dealt(setup: Setup, seed: int) -> BattaliaState:
    """The state after the first commit."""
    state = None
    for event in BATTALIA.rules.begin(setup, Dice(b"deal %d" % seed)):
        state = BATTALIA.rules.evolve(state, event)
    return state


def _seated(state: BattaliaState) -> BattaliaState:
    story = Story(BATTALIA, state)
    seats = sorted(state.players)
    for seat in seats:
        if not story.state.players[seat].faction:
            story.when(seat, command("choose_faction", faction=FACTIONS[seat - 1]))
    for seat in reversed(seats):
        if not story.state.players[seat].home:
            story.when(seat, command("choose_start", square=FAR[len(seats)][seat - 1]))
    assert story.state.asking[-1].kind == "turn"
    return story.state


def command(type_: str, **parameters: Any) -> Any:
    """A command by its name in JSON."""
    return build(BATTALIA.rules.commands, {"type": type_, **parameters})


# -- arranging --------------------------------------------------------------------------------------------------------


def without(state: BattaliaState, card: str) -> BattaliaState:
    """The state without the card, in whichever zone it is."""
    players = {}
    for seat, player in state.players.items():
        zones = {
            zone: tuple(other for other in getattr(player, zone) if other != card)
            for zone in ("hand", "deck", "discard", "played", "hidden")
        }
        players[seat] = changed(player, **zones)
    piles = {name: tuple(other for other in cards if other != card) for name, cards in state.piles.items()}
    great = tuple(other for other in state.great if other != card)
    gone = tuple(other for other in state.gone if other != card)
    return changed(state, players=players, piles=piles, great=great, gone=gone)


def find(state: BattaliaState, seat: int, sort: str, taken: tuple[str, ...] = ()) -> str:
    """A card of the sort (``frimen``, ``frimen-barfolk``, a card id): first the seat's own, then from the piles."""

    def fits(card: str) -> bool:
        return card not in taken and (card == sort or names(card) == sort or names(card).startswith(sort + "-"))

    zones = {card: zone for card, zone in where(state) if fits(card)}
    own = [card for card, zone in zones.items() if zone == f"deck of seat {seat}" or zone == f"hand of seat {seat}"]
    free = [card for card, zone in zones.items() if zone.startswith("pile") or zone in ("great", "gone")]
    others = [card for card, zone in zones.items() if "of seat" in zone and card not in own]
    found = [*own, *free, *others]
    assert found, f"no {sort} left"
    return found[0]


def hand(state: BattaliaState, seat: int, *sorts: str) -> BattaliaState:
    """Gives the seat exactly these cards; its previous hand goes to its deck."""
    player = state.players[Seat(seat)]
    emptied = changed(player, hand=(), deck=player.hand + player.deck)
    state = changed(state, players={**state.players, Seat(seat): emptied})
    cards: list[str] = []
    for sort in sorts:
        card = find(state, seat, sort, tuple(cards))
        state = without(state, card)
        cards.append(card)
    return with_player(state, seat, hand=tuple(cards))


def with_player(state: BattaliaState, seat: int, **changes: Any) -> BattaliaState:
    player = changed(state.players[Seat(seat)], **changes)
    return changed(state, players={**state.players, Seat(seat): player})


def zone(state: BattaliaState, seat: int, name: str, *sorts: str) -> BattaliaState:
    """Puts these cards on top of a zone of the seat."""
    for sort in sorts:
        card = find(state, seat, sort, state.players[Seat(seat)].hand)
        state = without(state, card)
        state = with_player(state, seat, **{name: (card, *getattr(state.players[Seat(seat)], name))})
    return state


def on_top(state: BattaliaState, pile: str, sort: str) -> BattaliaState:
    """Puts a card of this sort on top of the pile."""
    card = next(card for card in state.piles[pile] if card == sort or names(card) == sort)
    rest = tuple(other for other in state.piles[pile] if other != card)
    return changed(state, piles={**state.piles, pile: (card, *rest)})


def lay(state: BattaliaState, square: str, sort: str, exits: str, *, owner: int = 0, level: int = 0) -> BattaliaState:
    """Puts a terrain card on a square."""
    pile = "-".join(sort.split("-")[:2])
    card = next(card for card in state.piles[pile] if names(card).startswith(sort))
    state = without(state, card)
    state = changed(state, board={**state.board, square: Tile(card, exits)})
    if pile.startswith("city"):
        state = changed(state, cities={**state.cities, square: City(Seat(owner), level)})
    return state


def city(state: BattaliaState, square: str, *, owner: int, level: int) -> BattaliaState:
    """Changes the owner and the level of an existing city."""
    return changed(state, cities={**state.cities, square: City(Seat(owner), level)})


def stand(state: BattaliaState, hero: str, square: str, **changes: Any) -> BattaliaState:
    return changed(state, heroes={**state.heroes, hero: changed(state.heroes[hero], square=square, **changes)})


def day(state: BattaliaState, number: int) -> BattaliaState:
    """Sets the day, counted from 0."""
    return changed(state, day=number)


def lit(state: BattaliaState, artefact: str) -> BattaliaState:
    """Sets the day to the one on which this artefact type is illuminated."""
    return day(state, ("tool", "horse", "weapon", "amulet", "tent", "title", "scroll").index(artefact))


def turn(state: BattaliaState, seat: int) -> BattaliaState:
    """Starts this seat's turn, the last of the day."""
    frame = Frame("turn", state.serial + 1, (Seat(seat),), "TURN-03")
    return changed(state, turn=Turn(Seat(seat)), asking=(frame,), serial=state.serial + 1)


def tent(state: BattaliaState, seat: int, holder: str, *kept: str) -> BattaliaState:
    """Gives the seat a pitched tent that keeps these cards."""
    cards = []
    for sort in (holder, *kept):
        card = find(state, seat, sort, (*cards, *state.players[Seat(seat)].hand))
        state = without(state, card)
        cards.append(card)
    pitched = Tent(cards[0], tuple(cards[1:]), False)
    return with_player(state, seat, tents=(*state.players[Seat(seat)].tents, pitched))


def tell(state: BattaliaState) -> Story:
    assert BATTALIA.rules.faults(state) == []
    return Story(BATTALIA, state)


def cards(state: BattaliaState, seat: int, *sorts: str) -> list[str]:
    """Cards in the seat's hand, one for each sort."""
    found: list[str] = []
    for sort in sorts:
        own = state.players[Seat(seat)].hand
        found.append(next(c for c in own if c not in found and (c == sort or names(c).startswith(sort))))
    return found
