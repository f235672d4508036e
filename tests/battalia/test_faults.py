"""Faults of impossible positions, each with its message."""

from __future__ import annotations

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.battalia.state import Battle, City, Frame, Hero, Tent, Tile, changed
from domain.kernel.dice import Dice
from tests.battalia.table import (
    cards,
    city,
    command,
    day,
    hand,
    lay,
    stand,
    table,
    tell,
    tent,
    with_player,
    zone,
)

STATE = table()
TOP = STATE.piles["lord"][0]


def hero(**changes):
    return {**STATE.heroes, "hero-1-1": changed(STATE.heroes["hero-1-1"], **changes)}


def frame(serial, *seats):
    return Frame("turn", serial, seats, "TURN-03")


BROKEN = [
    (changed(STATE, gone=(*STATE.gone, TOP)), f"{TOP} is there 2 times instead of 1"),
    (changed(STATE, piles={**STATE.piles, "lord": STATE.piles["lord"][1:]}), f"{TOP} has vanished"),
    (changed(STATE, gone=(*STATE.gone, "lord-wolfsclan-1")), "lord-wolfsclan-1 is there 1 times instead of 0"),
    (
        changed(STATE, piles={**STATE.piles, "lord": STATE.piles["lord"][1:], "tool": (TOP, *STATE.piles["tool"])}),
        f"{TOP} lies in the pile tool",
    ),
    (changed(STATE, board={**STATE.board, "A1": Tile(STATE.board["A1"].card, "EW")}), "cannot lie open to EW"),
    (changed(STATE, board={**STATE.board, "Z9": Tile("road-bend-barfolk-1", "NE")}), "Z9 is off the map"),
    (changed(STATE, cities={}), "A1 is half a city"),
    (city(STATE, "A1", owner=1, level=5), "the city on A1 has level 5"),
    (city(STATE, "A1", owner=7, level=1), "the city on A1 belongs to seat 7, who is not in the game"),
    (changed(STATE, cities={**STATE.cities, "C3": City(1, 1)}), "the city on C3 has no card"),
    (changed(STATE, board={n: t for n, t in STATE.board.items() if n != "D3"}), "the ruins are gone"),
    (changed(STATE, heroes=hero(square="C3")), "hero-1-1 stands on C3, where no card lies"),
    (changed(STATE, heroes=hero(steps=-1)), "hero-1-1 has -1 steps left"),
    (changed(STATE, heroes=hero(seat=9)), "hero-1-1 belongs to nobody in the game"),
    (changed(STATE, heroes=hero(id="somebody")), "the hero hero-1-1 calls himself somebody"),
    (changed(STATE, heroes={**STATE.heroes, "x": Hero("x", 1, "E3")}), "x stands on E3, where no card lies"),
    (zone(STATE, 1, "hidden", "lord", "lord", "lord", "lord"), "seat 1 has 4 cards face down"),
    (with_player(STATE, 2, tokens=("supply~1",)), "seat 2 has tokens outside its turn"),
    (with_player(STATE, 1, tents=(Tent("tent-barfolk-1", (), False),)), "seat 1 has an empty tent"),
    (with_player(STATE, 1, out=True), "seat 1 is in the order and out, or neither"),
    (changed(STATE, order=(1,)), "seat 2 is in the order and out, or neither"),
    (with_player(STATE, 1, discard=("supply~1",)), "seat 1 has a token among the cards"),
    (changed(STATE, asking=(frame(2, 1), frame(2, 1))), "questions are numbered [2, 2]"),
    (changed(STATE, asking=(frame(99, 1),)), "questions are numbered [99]"),
    (changed(STATE, asking=()), "nobody is asked anything, and the game is not over"),
    (changed(STATE, agenda=()), "no night is to come"),
    (changed(STATE, players={1: STATE.players[1]}), "no map is for 1 seats"),
    (changed(STATE, columns=9), "the map for 2 seats has 7 columns, 5 rows and other starts"),
    (changed(STATE, starts=("A1", "G1")), "the map for 2 seats has 7 columns, 5 rows and other starts"),
    (changed(STATE, centre="A2"), "A2 is not the centre"),
    (changed(STATE, asking=(frame(1),)), "a question to nobody"),
    (
        changed(STATE, battle=Battle(1, 2, "hero-1-1", "G4", "G5", (TOP,), (TOP,))),
        f"{TOP} is pledged and not there",
    ),
]


@pytest.mark.parametrize(("state", "sentence"), BROKEN, ids=[sentence for _, sentence in BROKEN])
def test_impossible_position_has_its_fault(state, sentence):
    assert [] == BATTALIA.rules.faults(STATE)
    assert any(sentence in fault for fault in BATTALIA.rules.faults(state)), BATTALIA.rules.faults(state)


def test_more_than_twelve_face_down_cards_are_a_fault():
    state = table(4)
    for seat, sort in ((2, "frimen"), (3, "chief"), (4, "priest"), (1, "lord")):
        state = zone(state, seat, "hidden", *[sort] * (4 if seat == 1 else 3))
    assert "13 cards lie face down" in BATTALIA.rules.faults(state)


def test_imagined_attacker_has_a_valid_line_of_cards():
    state = lay(table(), "G4", "road-straight-emberians", "NS")
    state = stand(hand(state, 1, "frimen"), "hero-1-1", "G4", winged=True)
    state = tent(zone(state, 1, "hidden", "supply"), 1, "tent", "weapon")
    step = command("step", hero="hero-1-1", to="G5", units=cards(state, 1, "frimen"), against=2)
    story = tell(day(state, 3)).when(1, step)
    lines = set()
    for seed in range(40):
        imagined = BATTALIA.knowledge.imagine(story.state, 2, Dice(b"%d" % seed))
        assert [] == BATTALIA.rules.faults(imagined)
        assert imagined.battle.line
        lines.add(imagined.battle.line)
        assert BATTALIA.knowledge.private(story.state, 2) == BATTALIA.knowledge.private(imagined, 2)
    assert len(lines) > 5
    own = BATTALIA.knowledge.imagine(story.state, 1, Dice(b"own"))
    assert (story.state.battle, story.state.players[1].hand) == (own.battle, own.players[1].hand)


def test_public_reader_imagines_every_hand():
    imagined = BATTALIA.knowledge.imagine(STATE, None, Dice(b"public"))
    assert BATTALIA.knowledge.view(STATE) == BATTALIA.knowledge.view(imagined)
    assert STATE.players[1].hand != imagined.players[1].hand
