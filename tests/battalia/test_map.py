"""MAP: roads, cities, movement."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.map import roads
from tests.battalia.table import cards, changed, city, command, day, hand, lay, stand, table, tell

DULL = 3


def road(square, exits, paid, shape="bend"):
    return command("build_road", shape=shape, square=square, exits=exits, cards=paid)


def builder(*more):
    state = day(hand(table(), 1, "frimen", "frimen", *more), DULL)
    return state, cards(state, 1, "frimen", "frimen")


@pytest.mark.parametrize(
    ("square", "exits", "fine"),
    [
        ("B1", "SW", True),
        ("B1", "NW", True),  # an exit off the map: other edges may mismatch
        ("B1", "NE", False),
        ("A2", "NE", True),
        ("A2", "SW", False),
        ("B2", "NW", False),
        ("A1", "NE", False),
        ("D3", "NE", False),
        ("G4", "SW", False),  # the other player's road
        ("Z9", "NE", False),
    ],
)
def test_map_01_a_card_must_connect_to_a_road_of_an_own_city(square, exits, fine):
    state, paid = builder()
    story = tell(state).when(1, road(square, exits, paid))
    if fine:
        assert exits == story.state.board[square].exits
    else:
        story.refused("not-connected", "MAP-01")


def test_map_01_a_card_may_connect_to_any_card_of_a_chain_of_roads():
    state, paid = builder()
    state = lay(lay(state, "B1", "road-cross", "NESW"), "C1", "road-straight", "EW")
    assert {"A2", "B2", "D1"} == set(roads.sites(state, 1))
    story = tell(state).when(1, road("D1", "SW", paid))
    assert "D1" in story.state.board
    tell(state).when(1, road("C2", "NE", paid)).refused("not-connected", "MAP-01")


def test_map_01_exits_of_a_card_must_match_its_shape():
    state, paid = builder()
    tell(state).when(1, road("B1", "EW", paid)).refused("unknown-choice", "MAP-01", "exits")
    tell(state).when(1, road("B1", "WS", paid)).refused("unknown-choice", "MAP-01", "exits")
    tell(state).when(1, road("B1", "SW", paid, shape="end")).refused("unknown-choice", "SET-08", "shape")


def test_map_02_a_step_needs_exits_on_both_cards():
    state = day(hand(table(), 1, "supply"), DULL)
    state = lay(lay(state, "B1", "road-bend-emberians", "NE"), "A2", "road-straight-emberians", "NS")
    paid = list(state.players[1].hand)
    story = tell(state)
    story.when(1, command("step", hero="hero-1-1", to="B1", cards=paid)).refused("no-way", "MAP-02")
    assert {"ways": ["A2"]} == story.refusal.facts
    story.when(1, command("step", hero="hero-1-1", to="B2", cards=paid)).refused("no-way", "MAP-02")
    story.when(1, command("step", hero="hero-1-1", to="A2", cards=paid))
    assert "A2" == story.state.heroes["hero-1-1"].square


def test_map_03_heroes_may_use_every_road():
    state = day(hand(table(), 1, "supply"), DULL)
    state = stand(
        lay(lay(state, "G4", "road-straight-emberians", "NS"), "G3", "road-straight-emberians", "NS"), "hero-1-1", "G3"
    )
    story = tell(state).when(1, command("step", hero="hero-1-1", to="G4", cards=list(state.players[1].hand)))
    assert "G4" == story.state.heroes["hero-1-1"].square


@pytest.mark.parametrize(
    ("movement", "land", "free"),
    [("advanced", "barfolk", True), ("advanced", "islanders", False), ("basic", "barfolk", False)],
)
def test_map_04_a_step_into_native_terrain_is_free_in_advanced_movement(movement, land, free):
    state = day(hand(table(movement=movement), 1, "supply"), DULL)
    state = lay(state, "B1", f"road-straight-{land}", "EW")
    paid = list(state.players[1].hand)
    unpaid = tell(state).when(1, command("step", hero="hero-1-1", to="B1"))
    if free:
        unpaid.then(ev.HeroStepped(1, "hero-1-1", "A1", "B1", (), 0))
        tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=paid)).refused("does-not-pay", "PAY-11")
    else:
        unpaid.refused("does-not-pay", "PAY-11")


def said(state, to, *paid):
    """The refusal message for a step of the first hero."""
    return tell(state).when(1, command("step", hero="hero-1-1", to=to, cards=list(paid))).refusal.message


def test_map_02_the_refusal_of_a_step_explains_what_the_road_lacks():
    bare = day(hand(table(), 1, "supply"), DULL)
    state = lay(bare, "B1", "road-straight-islanders", "NS")
    (supply,) = state.players[1].hand

    assert "D4 is not beside A1, where the hero stands." == said(state, "D4", supply)
    assert "No road leads from A1 to A2: no card lies there." == said(state, "A2", supply)
    assert "No road leads from A1 to B1: the card on B1 is not open on that side." == said(state, "B1", supply)
    closed = lay(lay(bare, "B1", "road-straight-islanders", "EW"), "B2", "road-cross-islanders", "NESW")
    closed = stand(closed, "hero-1-1", "B1")
    assert "No road leads from B1 to B2: the card on B1 is not open on that side." == said(closed, "B2", supply)


def test_map_04_the_refusal_of_a_payment_names_the_terrain():
    state = day(hand(table(), 1, "supply"), DULL)
    (supply,) = state.players[1].hand
    own, foreign = (lay(state, "B1", f"road-straight-{land}", "EW") for land in ("barfolk", "islanders"))

    assert "The step onto B1 is free, the forest being your own terrain: it takes no cards." == said(own, "B1", supply)
    wanted = "The step onto B1 costs one supply or a horse: the lake is not your own terrain."
    assert wanted == said(foreign, "B1")
    basic = lay(day(hand(table(movement="basic"), 1, "supply"), DULL), "B1", "road-straight-barfolk", "EW")
    assert "The step onto B1 costs one supply or a horse." == said(basic, "B1")


def test_map_05_an_enemy_ends_the_move_and_own_heroes_never_block():
    state = day(hand(table(), 1, "horse", "lord"), DULL)
    for square in ("B1", "C1", "D1"):
        state = lay(state, square, "road-straight-emberians", "EW")
    state = stand(stand(state, "hero-1-2", "B1"), "hero-2-1", "C1")
    story = tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=cards(state, 1, "horse")))
    assert "B1" == story.state.heroes["hero-1-1"].square
    story.when(1, command("step", hero="hero-1-1", to="C1")).refused("no-fight", "MAP-09", "against")
    story.when(1, command("step", hero="hero-1-1", to="C1", against=2)).refused("bad-line", "BAT-02", "units")
    story.when(1, command("step", hero="hero-1-1", to="C1", against=2, units=cards(state, 1, "lord")))
    assert "defend" == story.state.asking[-1].kind
    story.default(2)
    assert "C1" == story.state.heroes["hero-1-1"].square
    story.when(1, command("step", hero="hero-1-1", to="D1")).refused("move-ended", "BAT-12")


def test_map_05_entering_the_ruins_needs_a_battle():
    state = day(hand(table(), 1, "supply", "frimen"), DULL)
    state = stand(lay(state, "D2", "road-straight-emberians", "NS"), "hero-1-1", "D2")
    supply, frimen = cards(state, 1, "supply", "frimen")
    story = tell(state)
    story.when(1, command("step", hero="hero-1-1", to="D3", cards=[supply])).refused("bad-line", "BAT-02")
    story.when(1, command("step", hero="hero-1-1", to="D3", cards=[supply], units=[frimen]))
    assert 8 == story.of(ev.BattleFought)[0].against


@pytest.mark.parametrize(("owner", "against"), [(2, 2), (0, 0)], ids=["of another player", "neutral"])
def test_map_05_entering_a_foreign_city_needs_a_battle_and_ends_the_move(owner, against):
    state = lay(day(hand(table(), 1, "supply", "horse", "lord"), DULL), "D1", "road-straight-emberians", "EW")
    state = stand(lay(state, "B1", "road-straight-emberians", "EW"), "hero-1-1", "B1")
    state = lay(state, "C1", "city-straight", "EW", owner=owner, level=1)
    supply, lord = cards(state, 1, "supply", "lord")
    step = {"hero": "hero-1-1", "to": "C1", "cards": [supply], "against": against}
    story = tell(state)
    story.when(1, command("step", **step)).refused("bad-line", "BAT-02", "units")
    story.when(1, command("step", **step, units=[lord]))
    if owner:
        story.default(2)
    assert ("C1", 1) == (story.state.heroes["hero-1-1"].square, story.state.cities["C1"].owner)
    story.when(1, command("step", hero="hero-1-1", to="D1")).refused("move-ended", "BAT-12")


def test_map_05_a_step_without_an_enemy_takes_no_line():
    state = lay(day(hand(table(), 1, "supply", "frimen"), DULL), "B1", "road-straight-emberians", "EW")
    supply, frimen = cards(state, 1, "supply", "frimen")
    step = {"hero": "hero-1-1", "to": "B1", "cards": [supply]}
    tell(state).when(1, command("step", **step, units=[frimen])).refused("bad-line", "MAP-05", "units")
    tell(state).when(1, command("step", **step, against=2)).refused("no-fight", "MAP-09", "against")


def test_map_06_points_are_the_levels_of_own_cities():
    state = city(city(table(), "A1", owner=1, level=3), "G1", owner=1, level=4)
    assert 7 == scoring.points(state, 1)
    assert 1 == scoring.points(state, 2)
    assert 0 == scoring.points(city(table(), "A1", owner=1, level=0), 1)


def beaten_ruin(state):
    state = city(state, "G5", owner=2, level=0)
    state = stand(lay(state, "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4")
    state = stand(stand(state, "hero-2-1", ""), "hero-2-2", "")
    state = day(hand(hand(state, 1, "supply", "lord"), 2), DULL)
    supply, lord = cards(state, 1, "supply", "lord")
    story = tell(state)
    return story.when(1, command("step", hero="hero-1-1", to="G5", cards=[supply], units=[lord], against=2)).default(2)


def test_map_07_a_beaten_level_0_city_without_a_spare_marker_is_destroyed():
    story = beaten_ruin(table())
    assert "G5" not in story.state.board
    assert "G5" not in story.state.cities
    assert "G4" == story.state.heroes["hero-1-1"].square
    destroyed = story.of(ev.CityDestroyed)[0]
    assert destroyed.card == story.state.piles["city-bend"][-1]


def test_map_07_a_beaten_level_0_city_with_a_spare_marker_is_taken():
    story = beaten_ruin(changed(table(), markers=1))
    assert (1, 0) == (story.state.cities["G5"].owner, story.state.cities["G5"].level)
    assert "G5" == story.state.heroes["hero-1-1"].square


def test_map_07_a_marker_in_use_is_not_spare():
    story = beaten_ruin(city(changed(table(), markers=1), "A1", owner=1, level=0))
    assert "G5" not in story.state.board
    assert "G4" == story.state.heroes["hero-1-1"].square


def test_map_08_the_range_is_the_square_and_the_eight_around_it():
    state = table()
    assert {"B2", "C2", "D2", "B3", "C3", "D3", "B4", "C4", "D4"} == set(roads.within_range(state, "C3"))
    assert {"A1", "B1", "A2", "B2"} == set(roads.within_range(state, "A1"))
    assert {"G5", "F5", "G4", "F4"} == set(roads.within_range(state, "G5"))


def shared(seats=3):
    """Heroes of seats 2 and 3 share a square, as after a return. A hero of seat 1 is next to it."""
    state = table(seats)
    state = lay(lay(state, "B1", "road-straight-cloudborn", "EW"), "C1", "road-straight-cloudborn", "EW")
    state = stand(stand(state, "hero-2-1", "C1"), "hero-3-1", "C1")
    return day(hand(stand(state, "hero-1-1", "B1"), 1, "supply", "lord"), DULL)


def test_map_09_entering_a_shared_square_names_the_player_to_fight():
    state = hand(hand(shared(), 2), 3)
    supply, lord = cards(state, 1, "supply", "lord")
    step = {"hero": "hero-1-1", "to": "C1", "cards": [supply], "units": [lord]}
    tell(state).when(1, command("step", **step)).refused("no-fight", "MAP-09", "against")
    story = tell(state).when(1, command("step", **step, against=3))
    assert [(3, "defend")] == [(q.seat, q.kind) for q in BATTALIA.rules.awaiting(story.state)]
    story.default(3)
    assert ["", "C1", "C1"] == [story.state.heroes[name].square for name in ("hero-3-1", "hero-2-1", "hero-1-1")]
    offered = [
        part.choices for option in tell(state).offered(1, "step") for part in option.open if part.name == "against"
    ]
    assert {(2, 3)} == set(offered)


def test_map_09_a_city_is_fought_with_its_owner_and_only_the_owners_heroes_fall():
    state = table(3)
    state = lay(state, "B1", "road-straight-cloudborn", "EW")
    state = lay(state, "C1", "city-bend-cloudborn", "SW", owner=2, level=1)
    state = stand(stand(stand(state, "hero-2-1", "C1"), "hero-3-1", "C1"), "hero-1-1", "B1")
    state = hand(day(hand(state, 1, "supply", "lord"), DULL), 2)
    supply, lord = cards(state, 1, "supply", "lord")
    step = {"hero": "hero-1-1", "to": "C1", "cards": [supply], "units": [lord]}
    tell(state).when(1, command("step", **step, against=3)).refused("no-fight", "MAP-09")
    story = tell(state).when(1, command("step", **step, against=2)).default(2)
    assert ["", "C1", "C1"] == [story.state.heroes[name].square for name in ("hero-2-1", "hero-3-1", "hero-1-1")]
    assert 1 == story.state.cities["C1"].owner


def test_map_09_entering_an_own_city_fights_the_intruder():
    state = day(hand(hand(table(), 1, "supply", "lord"), 2), DULL)
    state = lay(state, "B1", "road-straight-emberians", "EW")
    state = stand(stand(state, "hero-1-1", "B1"), "hero-2-1", "A1")
    story = tell(state).when(1, command("step", hero="hero-1-1", to="A1", units=cards(state, 1, "lord"), against=2))
    story.default(2)
    fought = story.of(ev.BattleFought)[0]
    assert "level" not in fought.defence
    assert (1, 1) == (story.state.cities["A1"].owner, story.state.cities["A1"].level)
    assert ["A1", ""] == [story.state.heroes[name].square for name in ("hero-1-1", "hero-2-1")]


def test_map_10_foreign_cities_ruins_and_figures_do_not_break_a_road():
    state, paid = builder()
    for square in ("B1", "C1", "D1", "E1", "F1"):
        state = lay(state, square, "road-straight", "EW")
    state = stand(lay(state, "G2", "road-straight", "NS"), "hero-2-1", "C1")
    assert {"G3", "A2"} <= set(roads.sites(state, 1)), "through the neutral city on G1 and past a hero"
    story = tell(state).when(1, road("G3", "NW", paid))
    assert "G3" in story.state.board
