"""END: endings, and players who are out."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.cards import EXITS
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.faults import where
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.turn import calendar
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.state import NOBODY, City, Tile
from domain.kernel.terms import SYSTEM
from tests.battalia.random_play import steps
from tests.battalia.table import (
    changed,
    city,
    command,
    day,
    hand,
    lay,
    stand,
    table,
    tell,
    tent,
    without,
    zone,
)
from tests.story import LoadedDice

DULL = 4
END = command("end_turn")


def remove_city(state, square):
    """Empties the square and returns its card to its pile."""
    card = state.board[square].card
    pile = "-".join(card.split("-")[:2])
    board = {name: tile for name, tile in state.board.items() if name != square}
    cities = {name: each for name, each in state.cities.items() if name != square}
    return changed(state, board=board, cities=cities, piles={**state.piles, pile: (*state.piles[pile], card)})


def rich(seats=2, **options):
    """Seat 1 needs one upgrade for its last city of level 4."""
    state = table(seats, **options)
    for square in ("B1", "C1", "D1")[: options.get("victory_cities", 5) - 2]:
        state = lay(state, square, "city-tee", "ESW", owner=1, level=4)
    state = city(state, "G1", owner=1, level=4)
    state = city(state, "A1", owner=1, level=3)
    return day(hand(state, 1, "lord", "lord"), DULL)


@pytest.mark.parametrize("goal", [4, 5])
def test_end_01_the_required_cities_of_level_four_end_the_game_at_once(goal):
    state = rich(victory_cities=goal)
    story = tell(state).when(1, command("upgrade_city", square="A1", cards=list(state.players[1].hand)))
    assert ev.EndReached("cities", "END-01") == story.events[-1]
    assert () == story.state.asking == tuple(BATTALIA.rules.awaiting(story.state))
    outcome = BATTALIA.rules.outcome(story.state)
    assert ("cities", "END-01", (1,)) == (outcome.reason, outcome.clause, outcome.winners)
    assert {1: 4 * goal, 2: 1} == outcome.scores
    lower = city(state, "C1" if goal == 5 else "B1", owner=1, level=3)
    story = tell(lower).when(1, command("upgrade_city", square="A1", cards=list(lower.players[1].hand)))
    assert not story.state.ending


def filled(state, *, empty=("B1",)):
    """Every square except these has a card."""
    cards = [card for name, pile in state.piles.items() for card in pile if name.startswith(("road", "city"))]
    for square in roads.squares(state.columns, state.rows):
        if square in state.board or square in empty:
            continue
        card = next(card for card in cards if card.startswith("road") and card not in state.gone)
        cards.remove(card)
        shape = card.split("-")[1]
        state = without(state, card)
        state = changed(state, board={**state.board, square: Tile(card, EXITS[shape][0])})
    return state


def test_end_01_a_full_map_ends_the_game():
    state = hand(filled(table()), 1, "lord", "lord", "lord")
    state = day(state, DULL)
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("found_city", shape="end", square="B1", exits="W", level=4, cards=own))
    assert ev.EndReached("full-map", "END-01") == story.events[-1]
    assert (1,) == BATTALIA.rules.outcome(story.state).winners


def test_end_01_the_game_ends_when_no_player_can_place_a_card():
    state = lay(lay(table(), "F5", "road-straight", "NS"), "G4", "road-straight", "EW")
    state = lay(state, "B1", "city-end", "W", owner=1, level=1)
    assert set(roads.sites(state, 1)) == {"A2"}
    assert not roads.sites(state, 2)
    state = day(hand(state, 1, "frimen", "frimen", "frimen"), DULL)
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("found_city", shape="end", square="A2", exits="N", level=1, cards=own))
    assert ev.EndReached("no-square", "END-01") == story.events[-1]


@pytest.mark.parametrize(("ruleset", "ending"), [("creation_v2", ""), ("creation_v1", "no-square")])
def test_end_01_end_03_a_player_who_may_refound_prevents_the_end_in_creation_v2(ruleset, ending):
    """Seat 2 lost its last city and may found one on its empty start. Seat 1 has no road to continue."""
    state = remove_city(table(ruleset=ruleset), "G5")
    state = lay(lay(state, "A2", "road-straight", "NS"), "A3", "road-cross", "NESW")
    state = lay(lay(state, "A4", "road-straight", "NS"), "B3", "road-straight", "NS")
    state = lay(state, "A5", "city-end", "N", owner=1, level=1)
    state = lay(state, "B1", "city-end", "W", owner=1, level=1)
    assert not roads.sites(state, 1)
    assert not roads.sites(state, 2)
    assert ("G5",) == roads.landless(state, 2)
    decision = start_decision(state, LoadedDice())
    decision.happen(ev.HeroDisbanded(2, "hero-2-1", "G5"))
    assert ending == decision.state.ending


def test_end_01_end_03_a_player_without_an_empty_start_or_edge_may_not_refound():
    state = remove_city(table(), "G5")
    state = lay(state, "B1", "city-end", "W", owner=1, level=1)
    edge = [square for square in roads.squares(7, 5) if roads.on_edge(state, square)]
    inside = tuple(square for square in roads.squares(7, 5) if square not in edge and square not in state.board)
    assert "B2" in inside
    # edge cards have no exits, so no road continues
    state = filled(state, empty=inside)
    turned = {name: Tile(tile.card, "") if name in edge else tile for name, tile in state.board.items()}
    state = changed(state, board=turned)
    assert not roads.landless(state, 2)
    decision = start_decision(state, LoadedDice())
    decision.happen(ev.HeroDisbanded(2, "hero-2-1", "G5"))
    assert ("no-square", "END-01") == (decision.state.ending, decision.state.clause)


def scored(one, two):
    state = table()
    cities = {square: each for square, each in state.cities.items() if not each.owner}
    for owner, levels in ((1, one), (2, two)):
        for number, level in enumerate(levels):
            cities[f"{'BF'[owner - 1]}{number + 1}"] = City(owner, level)
    return BATTALIA.rules.outcome(changed(state, cities=cities, ending="weeks", clause="END-04"))


@pytest.mark.parametrize(
    ("one", "two", "winners"),
    [
        ((4, 1), (3, 3), (2,)),
        ((4, 1), (3, 2), (1,)),
        ((2, 2, 1), (3, 2), (1,)),
        ((3, 2), (3, 2), (1, 2)),
        ((4, 4), (4, 2, 2), (1,)),
    ],
)
def test_end_02_ties_are_broken_by_cities_of_level_four_then_cities_then_shared(one, two, winners):
    outcome = scored(one, two)
    assert winners == outcome.winners
    assert {1: sum(one), 2: sum(two)} == outcome.scores


def homeless(*cards, home_taken=False):
    state = remove_city(table(), "A1")
    if home_taken:
        state = lay(state, "A1", "road-cross", "NESW")
    else:
        state = stand(stand(state, "hero-1-1", ""), "hero-1-2", "")
    return day(hand(state, 1, *cards), DULL)


def test_end_03_a_player_without_a_city_founds_one_on_the_start_for_two_frimen():
    state = homeless("frimen", "frimen")
    own = list(state.players[1].hand)
    place = {"shape": "end", "exits": "W", "level": 1, "cards": own}
    story = tell(state)
    story.when(1, command("found_city", square="B1", **place)).refused("not-connected")
    story.when(1, command("found_city", square="A1", **(place | {"level": 2}))).refused("wrong-level")
    story.when(1, command("found_city", square="A1", **(place | {"cards": own[:1]}))).refused("does-not-pay", "END-03")
    story.when(1, command("build_road", shape="bend", square="A1", exits="ES", cards=own)).refused("not-connected")
    story.when(1, command("found_city", square="A1", **place))
    assert (1, 1) == (story.state.cities["A1"].owner, story.state.cities["A1"].level)


def test_end_03_if_the_start_is_taken_any_empty_edge_square_may_be_used():
    state = homeless("frimen", "frimen", home_taken=True)
    place = {"shape": "end", "exits": "N", "level": 1, "cards": list(state.players[1].hand)}
    for square in ("C1", "G3"):
        assert square in tell(state).when(1, command("found_city", square=square, **place)).state.cities
    for square in ("B2", "D4"):
        tell(state).when(1, command("found_city", square=square, **place)).refused("not-connected")


def test_end_03_a_player_is_out_without_city_hero_and_square_to_found_on():
    state = remove_city(table(3), "G1")
    state = stand(stand(state, "hero-2-1", ""), "hero-2-2", "")
    story = tell(state).when(1, END)
    assert 2 == story.state.turn.seat, "his start is empty"
    full = filled(state, empty=("C3",))
    assert 2 == tell(stand(full, "hero-2-1", "B1")).when(1, END).state.turn.seat, "a hero is left"
    story = tell(full).when(1, END)
    assert ev.SeatOut(2) in story.events
    assert 3 == story.state.turn.seat


def test_end_04_the_game_ends_at_the_check_point_of_max_weeks():
    story = tell(changed(table(max_weeks=1), day=6)).when(1, END).when(2, END)
    assert not story.state.ending
    story.default(SYSTEM)
    assert ev.EndReached("weeks", "END-04") == story.events[-1]
    assert (1, 2) == BATTALIA.rules.outcome(story.state).winners
    assert not tell(changed(table(max_weeks=2), day=6)).when(1, END).when(2, END).default(SYSTEM).state.ending


def test_end_05_pending_questions_lapse_at_the_end():
    state = rich(victory_cities=4)
    state = city(city(state, "A1", owner=1, level=4), "C1", owner=2, level=4)
    state = lay(state, "C2", "road-straight-emberians", "NS")
    state = stand(state, "hero-1-1", "C2", winged=True)
    state = hand(hand(state, 1, "lord", "lord", "lord"), 2)
    step = command("step", hero="hero-1-1", to="C1", units=list(state.players[1].hand), against=2)
    story = tell(state).when(1, step)
    assert "defend" == story.state.asking[-1].kind
    story.default(2)
    assert ev.EndReached("cities", "END-01") == story.events[-1], "in another's answer"
    assert [ev.CityTaken, ev.HeroEntered, ev.EndReached] == [type(event) for event in story.events[-3:]]
    assert () == story.state.asking
    assert [] == list(BATTALIA.rules.legal(story.state, 1))


def test_end_05_the_last_remaining_player_wins():
    state = remove_city(table(), "G5")
    state = stand(stand(state, "hero-2-1", ""), "hero-2-2", "")
    story = tell(filled(lay(state, "A2", "road-cross", "NESW"), empty=("B2",))).when(1, END)
    assert [ev.SeatOut(2), ev.EndReached("alone", "END-05")] == list(story.events[-2:])
    assert (1,) == BATTALIA.rules.outcome(story.state).winners


def test_end_06_a_player_who_is_out_loses_all_cards_and_cities_turn_neutral():
    state = zone(table(3), 2, "hidden", "lord")
    state = tent(state, 2, "tent", "priest")
    state = zone(state, 2, "discard", "chief")
    state = lay(lay(state, "F1", "city-straight", "EW", owner=2, level=0), "E1", "road-straight-emberians", "EW")
    state = stand(state, "hero-3-1", "F1")
    owned = {card for card, place in where(state) if place.endswith("seat 2")}
    decision = start_decision(state, LoadedDice())
    calendar.put_out(decision, 2)
    after = decision.state
    assert owned <= set(after.gone)
    assert {"hero-1-1", "hero-1-2", "hero-3-1", "hero-3-2"} == set(after.heroes)
    assert (NOBODY, 1) == (after.cities["G1"].owner, after.cities["G1"].level)
    assert "F1" not in after.board, "level 0: destroyed"
    assert (1, 3) == after.order
    assert after.players[2].out
    story = tell(after)
    assert [(3, "flee")] == [(q.seat, q.kind) for q in BATTALIA.rules.awaiting(after)]
    story.when(3, command("flee", to="G1")).refused("no-way", "RAM-14", "to")
    story.when(3, command("flee", to="E1"))
    assert "E1" == story.state.heroes["hero-3-1"].square
    story.when(1, END)
    assert 3 == story.state.turn.seat, "his turns are skipped"
    assert BATTALIA.knowledge.view(story.state)["seats"]["2"]["out"]
    assert [] == list(BATTALIA.rules.legal(story.state, 2))


def test_end_06_a_hero_who_cannot_flee_is_disbanded():
    state = lay(table(3), "F1", "city-end", "E", owner=2, level=0)
    decision = start_decision(stand(state, "hero-3-1", "F1"), LoadedDice())
    calendar.put_out(decision, 2)
    calendar.proceed(decision)
    assert "" == decision.state.heroes["hero-3-1"].square
    assert "turn" == decision.state.asking[-1].kind


def weeks(seats, seed):
    *_, (position, _) = steps(seats, seed, cap=5000, bot="greedy")
    assert position.over
    return position.state.day // 7 + 1


@pytest.mark.parametrize("seats", [2, 4])
def test_end_07_a_normal_game_ends_within_six_weeks(seats):
    assert 6 >= min(weeks(seats, seed) for seed in (1, 2))


@pytest.mark.soak
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_end_07_a_game_longer_than_ten_weeks_is_very_rare(seats):
    lengths = [weeks(seats, seed) for seed in range(100)]
    assert 90 <= sum(length <= 6 for length in lengths)
    assert 99 <= sum(length <= 10 for length in lengths)
