"""Battalia's policy and features for the search bot, and returning heroes of the greedy bot."""

from dataclasses import replace
from itertools import product

from domain.games.battalia.bots import searching
from domain.games.battalia.cards import CARDS
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.state import Frame, Turn, changed
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.shape import build
from domain.kernel.terms import Seat
from domain.table import bots
from domain.table.bots.search import after
from tests.battalia import laid
from tests.battalia.keeping import ALONE, arena, crowned, keeper
from tests.battalia.laid import hand
from tools.simulation.selfplay import SelfPlay

ONE, TWO = Seat(1), Seat(2)


def coming_back(*, enemy):
    """A disbanded hero of seat 1, which has three cities along a road, and an enemy hero on ``enemy``."""
    state = laid.table(2, ALONE)
    for square, land in (("B1", "emberians"), ("C1", "emberians"), ("D1", "islanders"), ("E1", "islanders")):
        state = laid.road(state, square, "EW", land)
    for square in ("C1", "D1"):
        state = laid.city(state, square, 1, 1)
    state = keeper(laid.turn_of(laid.at(state, hero_2_1=enemy), 1), "B3")
    asked = Frame("return", state.serial + 1, (ONE,), "BAT-13", {"hero": "hero-1-1"})
    return changed(state, asking=(asked,), serial=asked.serial)


def test_bat_13_the_greedy_bot_returns_a_hero_to_the_city_nearest_to_a_target():
    for enemy, home in (("B1", "A1"), ("E1", "D1")):  # for equal distances the first city, which is the start
        state = coming_back(enemy=enemy)

        assert {"A1", "C1", "D1"} <= set(BATTALIA.rules.legal(state, ONE)[0].open[0].choices)
        assert {"type": "return_hero", "square": home} == BATTALIA.bots.by_name["greedy"](state, ONE, Dice(b"x"))


def test_policy_keeps_the_best_of_commands_that_differ_only_in_payment():
    play = SelfPlay(BATTALIA, Setup(2, BATTALIA.rules.rulesets[0]), ["bot:greedy"] * 2, bytes(32))
    play.run(40)
    while len(BATTALIA.rules.replies(play.position.state, play.position.asked[0].question.seat)) < 12:
        play.step()
    seat = play.position.asked[0].question.seat
    state = play.position.state
    scored = searching.policy(state, seat)
    told = [
        tuple((name, value) for name, value in command.items() if name not in searching._HOW) for _, command in scored
    ]

    assert len(told) == len(set(map(repr, told))) > 3
    assert ({"type": "end_turn"}) in [command for _, command in scored]
    assert 0 <= min(worth for worth, _ in scored)
    assert BATTALIA.bots.by_name["greedy"](state, seat, Dice(b"x")) == scored[0][1]


def kind_of(command):
    return {name: value for name, value in command.items() if name not in searching._HOW | searching._WHERE}


def test_policy_lists_the_best_of_each_kind_first_and_then_other_squares():
    state = laid.hand(laid.turn_of(laid.table(2), 1), 1, "priest", "priest", "frimen", "frimen", "supply", "supply")
    scored = searching.policy(state, ONE)
    kinds = [repr(kind_of(command)) for _, command in scored]
    first = kinds[: len(set(kinds))]
    places = [command["square"] for _, command in scored if command["type"] == "build_road"]

    assert len(first) == len(set(first)) > 2
    for kind in first:
        worths = [worth for (worth, _), other in zip(scored, kinds, strict=True) if other == kind]
        assert worths[0] == max(worths)
    assert 1 < len(set(places)) == len(set(places[: len(set(places))])) < len(places)


def test_turn_01_the_policy_offers_a_mulligan_only_at_the_start_of_a_turn():
    state = laid.turn_of(laid.table(2), 1)
    begun = changed(state, turn=Turn(ONE, fresh=False))

    assert {"type": "mulligan"} in [command for _, command in searching.policy(state, ONE)]
    assert "mulligan" not in [command["type"] for _, command in searching.policy(begun, ONE)]


def test_trials_reach_one_day_ahead():
    start = changed(laid.table(3), day=4, turn=Turn(TWO))
    far = {
        (day, seat): searching.far_enough(start, changed(start, day=day, turn=Turn(Seat(seat))))
        for day in (4, 5, 6)
        for seat in (1, 2, 3)
    }

    assert {(5, 2), (5, 3), (6, 1), (6, 2), (6, 3)} == {when for when, reached in far.items() if reached}


def test_kee_07_kee_06_points_are_weighted_by_keys_and_by_cities_of_level_four():
    def standing(cities, *held):
        state = crowned(laid.table(2, ALONE), ONE, cities)
        return searching.features(keeper(state, "G5", s1=held, s2=["barfolk", "islanders"]), ONE)["points_keys"]

    plain = searching.features(laid.table(2), ONE)
    told = searching.features(keeper(laid.table(2, ALONE), "B3"), ONE)

    assert "points_keys" not in plain
    assert told.keys() == plain.keys() - {"points_late"} | {"points_keys"}
    assert 0 > standing(2) < standing(2, "islanders") < standing(2, "islanders", "barfolk") > 0
    assert 4 < standing(4, "islanders", "barfolk") / standing(2, "islanders", "barfolk")
    assert 0 < BATTALIA.bots.fits[" ".join(sorted(told))]["weights"]["points_keys"]


def test_every_set_of_features_has_a_fit_and_two_player_games_have_their_own():
    for seats, modules in product(
        (2, 4), ((), ALONE, tuple(key for key in BATTALIA.rules.modules if key != "stormgates"))
    ):
        features = searching.features(laid.table(seats, modules), ONE)

        assert " ".join(sorted(features)) in BATTALIA.bots.fits
        assert (seats == 2) == ("duel" in features)
        assert all(abs(number) < 10 for number in features.values())


def test_kee_06_with_more_players_keys_and_cities_are_features_of_their_own():
    state = laid.table(4, ALONE)
    for square in ("C1", "D1"):
        state = laid.city(state, square, 1, 4)
    every = [state.players[seat].faction for seat in state.order]
    some, all_of_them = (searching.features(keeper(state, "B3", s1=held), ONE) for held in (every[:3], every))

    assert (0.75, 1) == (some["keys"], all_of_them["keys"])
    assert (0, 0.5) == (some["keys_cities"], all_of_them["keys_cities"])
    assert "points_late" in some
    assert "points_keys" not in some


def test_kee_05_a_seat_that_needs_the_keepers_key_values_nearness_to_him():
    state = laid.table(2, ALONE)
    for square, land in (("B1", "emberians"), ("C1", "emberians"), ("D1", "islanders"), ("E1", "islanders")):
        state = laid.road(state, square, "EW", land)
    for square, land in (("C1", "emberians"), ("D1", "islanders")):
        state = laid.city(state, square, 1, 4, "EW", land)
    own = state.players[ONE].faction

    def standing(hero, *held):
        return searching.features(keeper(laid.at(state, hero_1_1=hero), "E1", s1=held), ONE)["points_keys"]

    assert 0 < standing("A1") < standing("B1") < standing("D1") < standing("E1") < standing("E1", own)
    assert standing("B1", own) == standing("E1", own)


def holding(*cards):
    return laid.hand(laid.turn_of(laid.table(2), 1), 1, *cards)


def test_art_08_the_adept_hides_its_weakest_unit_before_it_ends_the_turn():
    state = holding("chief", "frimen")
    assert {"type": "end_turn"} == BATTALIA.bots.by_name["greedy"](state, ONE, Dice(b"x"))

    hidden = []
    while (said := BATTALIA.bots.adept(state, ONE, Dice(b"x")))["type"] == "hide_card":
        hidden.append(CARDS[said["card"]].kind)
        state = after(BATTALIA, state, ONE, build(BATTALIA.rules.commands, said), Dice(b"x"))

    assert ["frimen", "chief"] == hidden
    assert {"type": "end_turn"} == said


def test_art_08_the_adept_hides_only_weak_cards_and_otherwise_plays_as_greedy():
    strong, busy = holding("priest"), holding("priest", "priest", "frimen", "frimen", "supply", "supply")
    weak = holding("frimen")
    slots = replace(weak.players[ONE], hidden=("a", "b", "c"))

    assert {"type": "end_turn"} == BATTALIA.bots.adept(strong, ONE, Dice(b"x"))
    assert {"type": "end_turn"} == BATTALIA.bots.adept(
        changed(weak, players={**weak.players, ONE: slots}), ONE, Dice(b"x")
    )
    assert "end_turn" != BATTALIA.bots.adept(busy, ONE, Dice(b"x"))["type"]
    assert BATTALIA.bots.by_name["greedy"](busy, ONE, Dice(b"x")) == BATTALIA.bots.adept(busy, ONE, Dice(b"x"))


def test_art_08_hiding_a_card_does_not_change_the_features_of_a_position():
    state = holding("chief", "frimen", "priest")
    card = state.players[ONE].hand[1]
    hidden = replace(state.players[ONE], hand=(state.players[ONE].hand[0], state.players[ONE].hand[2]), hidden=(card,))
    before, now = (
        searching.features(each, ONE) for each in (state, changed(state, players={**state.players, ONE: hidden}))
    )

    assert before["ranks"] == now["ranks"]
    assert before["strong"] == now["strong"]


def on_his_square(**held):
    """Seat 1 is with the Keeper; its hand beats him or founds a city of level 3. The enemy needs two more cities to win."""
    state = crowned(arena("priest", "priest", "priest", "supply", "supply"), TWO, 2)
    return keeper(state, "D2", s2=["barfolk", "islanders"], **held)


def test_kee_05_a_duel_that_the_hand_wins_is_the_only_command_of_the_policy():
    missing, held = on_his_square(), on_his_square(s1=[on_his_square().players[ONE].faction])

    assert ["challenge_keeper"] == [command["type"] for _, command in searching.policy(missing, ONE)]
    others = [command["type"] for _, command in searching.policy(held, ONE)]
    assert {"found_city", "step", "end_turn"} <= set(others)
    assert "challenge_keeper" not in others
    for seed in (b"1", b"2", b"3"):
        assert "challenge_keeper" == bots.choose(BATTALIA, "search:1", missing, ONE, Dice(seed))["type"]


def test_kee_05_the_policy_omits_a_duel_that_the_hand_loses():
    state = hand(on_his_square(), ONE, "frimen", "frimen", "supply")
    offered = [command["type"] for _, command in searching.policy(state, ONE)]

    assert "challenge_keeper" in [option.type for option in BATTALIA.rules.legal(state, ONE)]
    assert "challenge_keeper" not in offered
    assert len(offered) > 1


def test_kee_05_the_policy_has_steps_to_the_keeper_while_a_key_is_missing():
    def tried(state):
        steps = (command for _, command in searching.policy(state, ONE) if command["type"] == "step")
        return {command["to"] for command in steps if not command.get("units")}

    state = laid.table(2, ALONE)
    for square, land in (("B1", "emberians"), ("C1", "emberians"), ("D1", "islanders"), ("E1", "islanders")):
        state = laid.road(state, square, "EW", land)
    state = hand(laid.turn_of(laid.at(state, hero_1_1="C1", hero_2_1="B1"), 1), ONE, "frimen", "supply", "supply")

    assert {"D1"} == tried(keeper(state, "E1"))
    assert set() == tried(keeper(state, "E1", s1=[state.players[ONE].faction]))
