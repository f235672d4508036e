"""Tables arranged by hand, with fixed factions. Cards only move between zones, so no card appears or disappears.

Seat 1 plays the Bärfolk, 2 the Islanders, 3 the Emberians, 4 the Cloudborn, 5 the Wolfsclan, 6 the Sunblessed, each from
the start square with its number, in this order.
"""

from __future__ import annotations

from typing import Any

from domain.games.battalia.cards import CARDS, EXITS, FACTIONS, RUINS
from domain.games.battalia.commands import ChooseFaction, ChooseStart, TurnDay
from domain.games.battalia.evolve import zones
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.state import BattaliaState, City, Frame, Tile, Turn, changed
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM, Seat
from tests.story import LoadedDice, Story


def table(
    seats: int = 2, modules: tuple[str, ...] = (), key: bytes = b"laid", ruleset: str = "", **options: Any
) -> BattaliaState:
    """The first turn of the first day, with seat 1 on turn."""
    setup = BATTALIA.rules.check(Setup(seats, ruleset, {"quick_setup": False, **options}, modules))
    state: Any = None
    for event in BATTALIA.rules.begin(setup, _with_factions(seats, setup, key)):
        state = BATTALIA.rules.evolve(state, event)
    state = changed(state, order=tuple(Seat(seat) for seat in range(1, seats + 1)))
    for seat in range(1, seats + 1):
        if not state.players[Seat(seat)].faction:
            state = said(state, seat, ChooseFaction(FACTIONS[seat - 1]))
    for seat in range(seats, 0, -1):
        if not state.players[Seat(seat)].home:
            state = said(state, seat, ChooseStart(state.starts[seat - 1]))
    return state


def _with_factions(seats: int, setup: Setup, key: bytes) -> Dice:
    """Dice with which the factions of all seats are in the game (SET-10)."""
    for salt in range(100):
        dice = Dice(key + bytes([salt]))
        if set(FACTIONS[:seats]) <= set(BATTALIA.rules.begin(setup, dice)[0].factions):
            return Dice(key + bytes([salt]))
    raise AssertionError("no such dice")


def said(state: BattaliaState, seat: int, command: Any) -> BattaliaState:
    for event in BATTALIA.rules.decide(state, Seat(seat), command, LoadedDice()):
        state = BATTALIA.rules.evolve(state, event)
    return state


def night(state: BattaliaState, day: int = 6) -> BattaliaState:
    """The end of a day. Days count from 0, and the first check-point follows day 6."""
    serial = state.serial + 1
    asked = (Frame("day", serial, (SYSTEM,), "DAY-02"),)
    return changed(state, day=day, agenda=(), turn=Turn(), asking=asked, serial=serial)


def morning(state: BattaliaState, *faces: int) -> Story:
    """SYSTEM starts the next day, with exactly these dice."""
    dice = LoadedDice(*faces)
    story = Story(BATTALIA, state).when(SYSTEM, TurnDay(), dice)
    assert story.refusal is None, story.refusal
    assert len(faces) == dice.rolled, "dice left over"
    return story


def turn_of(state: BattaliaState, seat: int, day: int = 7) -> BattaliaState:
    """The seat's turn, the last of its day."""
    serial = state.serial + 1
    asked = (Frame("turn", serial, (Seat(seat),), "TURN-03"),)
    return changed(state, day=day, agenda=("night",), turn=Turn(Seat(seat)), asking=asked, serial=serial)


# -- the board --------------------------------------------------------------------------------------------------------


def city(
    state: BattaliaState, square: str, owner: int, level: int, exits: str = "", faction: str = ""
) -> BattaliaState:
    """A new city, on its owner's own terrain unless a faction is named."""
    land = faction or (state.players[Seat(owner)].faction if owner else "")
    state = _laid(state, "city", square, exits, land)
    return changed(state, cities={**state.cities, square: City(Seat(owner), level)})


def level(state: BattaliaState, square: str, level: int, owner: int | None = None) -> BattaliaState:
    """Changes the level or the owner of an existing city."""
    old = state.cities[square]
    new = City(old.owner if owner is None else Seat(owner), level)
    return changed(state, cities={**state.cities, square: new})


def road(state: BattaliaState, square: str, exits: str, faction: str = "") -> BattaliaState:
    return _laid(state, "road", square, exits, faction)


def _laid(state: BattaliaState, group: str, square: str, exits: str, faction: str) -> BattaliaState:
    shapes = [shape for shape, ways in EXITS.items() if (exits in ways if exits else shape in ("tee", "bend"))]
    for shape in shapes:
        for card in state.piles.get(f"{group}-{shape}", ()):
            if not faction or CARDS[card].faction == faction:
                pile = f"{group}-{shape}"
                piles = {**state.piles, pile: tuple(other for other in state.piles[pile] if other != card)}
                return changed(state, piles=piles, board={**state.board, square: Tile(card, exits or EXITS[shape][0])})
    raise AssertionError(f"no {group} card open to {exits!r} of {faction!r}")


def bare(state: BattaliaState, *squares: str) -> BattaliaState:
    """Removes the cards from these squares."""
    cards = [state.board[name].card for name in squares if state.board[name].card != RUINS]
    return changed(
        state,
        board={name: tile for name, tile in state.board.items() if name not in squares},
        cities={name: there for name, there in state.cities.items() if name not in squares},
        piles=zones.beneath(state.piles, cards),
    )


def at(state: BattaliaState, **heroes: str) -> BattaliaState:
    """Moves heroes, named like ``hero_1_2``, to squares; an empty square means disbanded."""
    moved = {name.replace("_", "-"): square for name, square in heroes.items()}
    figures = {name: changed(hero, square=moved.get(name, hero.square)) for name, hero in state.heroes.items()}
    return changed(state, heroes=figures)


# -- cards and memories -----------------------------------------------------------------------------------------------


def hand(state: BattaliaState, seat: int, *sorts: str) -> BattaliaState:
    """A hand of exactly these cards, each given by a prefix of its name: ``frimen``, ``lord-islanders``, ``supply``."""
    player = state.players[Seat(seat)]
    state = _with_player(state, seat, hand=(), deck=player.hand + player.deck)
    for sort in sorts:
        state = _found(state, seat, sort)
    return state


def _found(state: BattaliaState, seat: int, sort: str) -> BattaliaState:
    player = state.players[Seat(seat)]
    for card in player.deck:
        if card.startswith(sort):
            rest = tuple(other for other in player.deck if other != card)
            return _with_player(state, seat, hand=(*player.hand, card), deck=rest)
    for pile, cards in state.piles.items():
        for card in cards:
            if card.startswith(sort):
                piles = {**state.piles, pile: tuple(other for other in cards if other != card)}
                return _with_player(changed(state, piles=piles), seat, hand=(*player.hand, card))
    raise AssertionError(f"no {sort} is to be had")


def _with_player(state: BattaliaState, seat: int, **changes: Any) -> BattaliaState:
    return changed(state, players={**state.players, Seat(seat): changed(state.players[Seat(seat)], **changes)})


def remembers(state: BattaliaState, module: str, **memory: Any) -> BattaliaState:
    """Changes these values in a module's memory."""
    return changed(state, npcs={**state.npcs, module: {**state.npcs[module], **memory}})


def rammoth(state: BattaliaState, square: str) -> BattaliaState:
    """Puts the Rammoth on the square, where he has been for a while."""
    return remembers(state, "rammoth", square=square, since=0)


def weapons(state: BattaliaState, *squares: str) -> BattaliaState:
    return remembers(state, "armamentum", weapons=list(squares))
