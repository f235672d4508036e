"""What who searches knows of Battalia, and where the greedy player brings its heroes back."""

from dataclasses import replace
from itertools import product

from domain.battalia.bots import searching
from domain.battalia.cards import CARDS
from domain.battalia.game import BATTALIA
from domain.battalia.state import Frame, Turn, changed
from domain.dice import Dice
from domain.game import Setup
from domain.play.bots.search import after
from domain.shape import build
from domain.terms import Seat
from service.cli.simulating.selfplay import SelfPlay
from tests.battalia import laid
from tests.battalia.keeping import ALONE, keeper

ONE, TWO = Seat(1), Seat(2)


def coming_back(*, enemy):
    """A disbanded hero of seat 1, which has two cities on one road, and an enemy's hero at one of its ends."""
    state = laid.table(2, ALONE)
    for square, land in (("B1", "emberians"), ("C1", "emberians"), ("D1", "islanders"), ("E1", "islanders")):
        state = laid.road(state, square, "EW", land)
    for square in ("C1", "D1"):
        state = laid.city(state, square, 1, 1)
    state = keeper(laid.turn_of(laid.at(state, hero_2_1=enemy), 1), "B3")
    asked = Frame("return", state.serial + 1, (ONE,), "BAT-13", {"hero": "hero-1-1"})
    return changed(state, asking=(asked,), serial=asked.serial)


def test_bat_13_greedy_brings_a_hero_back_where_it_is_nearest_to_something():
    for enemy, home in (("B1", "A1"), ("E1", "D1")):  # of equal ones the first, which is the starting city
        state = coming_back(enemy=enemy)

        assert {"A1", "C1", "D1"} <= set(BATTALIA.legal(state, ONE)[0].open[0].choices)
        assert {"type": "return_hero", "square": home} == BATTALIA.bots["greedy"](state, ONE, Dice(b"x"))


def test_of_commands_that_differ_only_in_what_pays_the_best_is_tried():
    play = SelfPlay(BATTALIA, Setup(2, BATTALIA.rulesets[0]), ["bot:greedy"] * 2, bytes(32))
    play.run(40)
    while len(BATTALIA.replies(play.position.state, play.position.asked[0].question.seat)) < 12:
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
    assert BATTALIA.bots["greedy"](state, seat, Dice(b"x")) == scored[0][1]


def kind_of(command):
    return {name: value for name, value in command.items() if name not in searching._HOW | searching._WHERE}


def test_the_best_of_each_kind_of_thing_comes_first_then_of_each_the_best_elsewhere():
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


def test_turn_01_another_hand_is_tried_though_the_greedy_player_never_takes_one():
    state = laid.turn_of(laid.table(2), 1)
    begun = changed(state, turn=Turn(ONE, fresh=False))

    assert {"type": "mulligan"} in [command for _, command in searching.policy(state, ONE)]
    assert "mulligan" not in [command["type"] for _, command in searching.policy(begun, ONE)]


def test_it_looks_one_day_ahead():
    start = changed(laid.table(3), day=4, turn=Turn(TWO))
    far = {
        (day, seat): searching.far_enough(start, changed(start, day=day, turn=Turn(Seat(seat))))
        for day in (4, 5, 6)
        for seat in (1, 2, 3)
    }

    assert {(5, 2), (5, 3), (6, 1), (6, 2), (6, 3)} == {when for when, reached in far.items() if reached}


def test_kee_06_keys_count_where_there_are_keys():
    plain, kept = laid.table(2), keeper(laid.table(2, ALONE), "B3", s1=["islanders"])
    features = searching.features(kept, ONE)

    assert "keys" not in searching.features(plain, ONE)
    assert (0.5, -0.5) == (features["keys"], searching.features(kept, TWO)["keys"])
    assert 0 < BATTALIA.fits[" ".join(sorted(features))]["weights"]["keys"]


def test_every_set_of_features_has_its_fit_and_games_for_two_have_their_own():
    for seats, modules in product((2, 4), ((), ALONE, tuple(key for key in BATTALIA.modules if key != "stormgates"))):
        features = searching.features(laid.table(seats, modules), ONE)

        assert " ".join(sorted(features)) in BATTALIA.fits
        assert (seats == 2) == ("duel" in features)
        assert all(abs(number) < 10 for number in features.values())


def test_kee_06_the_cities_that_are_still_needed_count_for_who_holds_all_keys():
    state = laid.table(2, ALONE)
    for square in ("C1", "D1"):
        state = laid.city(state, square, 1, 4)
    some, every = keeper(state, "B3", s1=["islanders"]), keeper(state, "B3", s1=["islanders", "barfolk"])

    assert 0 == searching.features(some, ONE)["keys_cities"]
    assert 0.5 == searching.features(every, ONE)["keys_cities"]


def holding(*cards):
    return laid.hand(laid.turn_of(laid.table(2), 1), 1, *cards)


def test_art_08_the_adept_hides_the_weakest_unit_that_is_left_where_greedy_ends_the_turn():
    state = holding("chief", "frimen")
    assert {"type": "end_turn"} == BATTALIA.bots["greedy"](state, ONE, Dice(b"x"))

    hidden = []
    while (said := BATTALIA.adept(state, ONE, Dice(b"x")))["type"] == "hide_card":
        hidden.append(CARDS[said["card"]].kind)
        state = after(BATTALIA, state, ONE, build(BATTALIA.commands, said), Dice(b"x"))

    assert ["frimen", "chief"] == hidden
    assert {"type": "end_turn"} == said


def test_art_08_the_adept_hides_nothing_strong_nor_without_a_slot_and_else_plays_as_greedy_does():
    strong, busy = holding("priest"), holding("priest", "priest", "frimen", "frimen", "supply", "supply")
    weak = holding("frimen")
    slots = replace(weak.players[ONE], hidden=("a", "b", "c"))

    assert {"type": "end_turn"} == BATTALIA.adept(strong, ONE, Dice(b"x"))
    assert {"type": "end_turn"} == BATTALIA.adept(changed(weak, players={**weak.players, ONE: slots}), ONE, Dice(b"x"))
    assert "end_turn" != BATTALIA.adept(busy, ONE, Dice(b"x"))["type"]
    assert BATTALIA.bots["greedy"](busy, ONE, Dice(b"x")) == BATTALIA.adept(busy, ONE, Dice(b"x"))


def test_art_08_a_hidden_card_is_still_the_players_so_that_hiding_it_takes_nothing_from_what_a_position_is_worth():
    state = holding("chief", "frimen", "priest")
    card = state.players[ONE].hand[1]
    hidden = replace(state.players[ONE], hand=(state.players[ONE].hand[0], state.players[ONE].hand[2]), hidden=(card,))
    before, now = (
        searching.features(each, ONE) for each in (state, changed(state, players={**state.players, ONE: hidden}))
    )

    assert before["ranks"] == now["ranks"]
    assert before["strong"] == now["strong"]
