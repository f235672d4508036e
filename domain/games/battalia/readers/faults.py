"""Finds contradictions that cannot arise by play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from domain.games.battalia.cards import CARDS, EXITS, GREAT, RUINS
from domain.games.battalia.evolve.zones import at_hand
from domain.games.battalia.module_api import moments, registry
from domain.games.battalia.module_api.questions import DAY
from domain.games.battalia.rulebook.map.roads import square, squares
from domain.games.battalia.rulebook.turn import orders, setup
from domain.games.battalia.rulebook.turn.kinds import QUESTIONS
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState


def faults(state: BattaliaState) -> list[str]:
    """Sentences about contradictions; empty for every state that was played."""
    found = list(_map(state))
    if found:
        return found
    found = [
        *_conservation(state),
        *_board(state),
        *_figures(state),
        *_seats(state),
        *_asking(state),
        *orders.faults(state),
    ]
    for module in registry.playing(state.modules):
        found.extend(module.faults(state))
    return found


def where(state: BattaliaState) -> Iterator[tuple[str, str]]:
    """Every card and its zone."""
    for name, cards in state.piles.items():
        yield from ((card, f"pile {name}") for card in cards)
    yield from ((card, "great") for card in state.great)
    yield from ((card, "gone") for card in state.gone)
    for name, tile in state.board.items():
        yield tile.card, f"square {name}"
    for seat, player in state.players.items():
        for zone in ("hand", "deck", "discard", "played", "hidden"):
            yield from ((card, f"{zone} of seat {seat}") for card in getattr(player, zone))
        for tent in player.tents:
            yield from ((card, f"tent of seat {seat}") for card in (tent.tent, *tent.kept) if "~" not in card)


def _conservation(state: BattaliaState) -> Iterator[str]:
    rules = RULESETS[state.ruleset]
    full = setup.full_piles(rules, state.factions, unbound=bool(state.options["unbound_units"]))
    expected = Counter(card for cards in full.values() for card in cards)
    expected.update(f"great-{name}" for name in GREAT)
    expected[RUINS] += 1
    there = Counter(card for card, _ in where(state))
    yield from (f"{card} is there {there[card]} times instead of {expected[card]}" for card in there - expected)
    yield from (f"{card} has vanished" for card in expected - there)
    for name, cards in state.piles.items():
        yield from (f"{card} lies in the pile {name}" for card in cards if CARDS[card].pile != name)


def _map(state: BattaliaState) -> Iterator[str]:
    """SET-11. Checked first, because other checks would not finish on a map without limits."""
    laid = RULESETS[state.ruleset].maps.get(len(state.players))
    if laid is None:
        yield f"no map is for {len(state.players)} seats"
    elif (laid.columns, laid.rows, frozenset(laid.starts)) != (state.columns, state.rows, frozenset(state.starts)):
        yield f"the map for {len(state.players)} seats has {laid.columns} columns, {laid.rows} rows and other starts"
    elif state.centre != square(laid.columns // 2, laid.rows // 2):
        yield f"{state.centre} is not the centre"


def _board(state: BattaliaState) -> Iterator[str]:
    every = squares(state.columns, state.rows)
    top = RULESETS[state.ruleset].top_level
    for name, tile in state.board.items():
        if name not in every:
            yield f"{name} is off the map"
        shape = "cross" if tile.card == RUINS else CARDS[tile.card].kind
        if tile.exits not in EXITS[shape]:
            yield f"{tile.card} on {name} cannot lie open to {tile.exits}"
        if (tile.card != RUINS and CARDS[tile.card].group == "city") != (name in state.cities):
            yield f"{name} is half a city"
    for name, city in state.cities.items():
        if name not in state.board:
            yield f"the city on {name} has no card"
        if not 0 <= city.level <= top:
            yield f"the city on {name} has level {city.level}"
        if city.owner and city.owner not in state.order:
            yield f"the city on {name} belongs to seat {city.owner}, who is not in the game"
    if state.board.get(state.centre) is None or state.board[state.centre].card != RUINS:
        yield "the ruins are gone"


def _figures(state: BattaliaState) -> Iterator[str]:
    fleeing = {frame.about.get("hero") for frame in state.asking if frame.kind == "flee"}
    for name, hero in state.heroes.items():
        if name != hero.id:
            yield f"the hero {name} calls himself {hero.id}"
        if hero.seat not in state.order:
            yield f"{name} belongs to nobody in the game"
        if hero.square and hero.square not in state.board and name not in fleeing and not state.ending:
            yield f"{name} stands on {hero.square}, where no card lies"
        if hero.steps < 0:
            yield f"{name} has {hero.steps} steps left"


def _seats(state: BattaliaState) -> Iterator[str]:
    rules = RULESETS[state.ruleset]
    hidden = sum(len(player.hidden) for player in state.players.values())
    if hidden > rules.slots_in_all:
        yield f"{hidden} cards lie face down"
    for seat, player in state.players.items():
        if len(player.hidden) > rules.slots:
            yield f"seat {seat} has {len(player.hidden)} cards face down"
        if player.tokens and state.turn.seat != seat:
            yield f"seat {seat} has tokens outside its turn"
        if any(not tent.kept for tent in player.tents):
            yield f"seat {seat} has an empty tent"
        if player.out == (seat in state.order):
            yield f"seat {seat} is in the order and out, or neither"
        if any("~" in card for card in player.hand + player.deck + player.discard + player.played):
            yield f"seat {seat} has a token among the cards"


def _asking(state: BattaliaState) -> Iterator[str]:
    serials = [frame.serial for frame in state.asking]
    if serials != sorted(set(serials)) or (serials and serials[-1] > state.serial):
        yield f"questions are numbered {serials}"
    if not state.asking and not state.ending:
        yield "nobody is asked anything, and the game is not over"
    if state.asking and state.day >= 0 and state.agenda[-1:] != (moments.NIGHT,) and state.asking[0].kind != DAY:
        yield "no night is to come"
    if any(not frame.seats for frame in state.asking):
        yield "a question to nobody"
    for frame in state.asking:
        if not frame.npc and frame.kind not in QUESTIONS:
            yield f"a question {frame.kind}, which nobody puts"
    fight = state.battle
    if fight is not None:
        lost = [card for card in fight.line if card not in at_hand(state.players[fight.attacker])]
        lost += [card for card in fight.ambush if card not in state.players[fight.attacker].hidden]
        yield from (f"{card} is pledged and not there" for card in lost)
