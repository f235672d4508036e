"""The player that searches: by imagined states alone, the same by the same dice, and better than what it begins with."""

from collections import Counter
from dataclasses import replace

import pytest

from domain.dice import Aside, Dice
from domain.game import Setup
from domain.games.battalia.game import BATTALIA
from domain.games.nim.game import NIM
from domain.games.nim.game import State as Heaps
from domain.play import bots
from domain.play.bots import search
from domain.registry import GAMES
from domain.shape import build
from domain.terms import Outcome, Seat
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

SEARCH = "search:1"
ONE, TWO = Seat(1), Seat(2)


def heaps(*sizes):
    return Heaps("nim_v1", sizes, "wins", ONE)


def pennies(seed=b"p"):
    (begun,) = PENNIES.begin(PENNIES.check(Setup(2, "", {})), Dice(seed))
    return PENNIES.evolve(None, begun)


def hides(state, dice):
    return bots.choose(PENNIES, SEARCH, state, ONE, dice)


def test_it_takes_the_last_objects_and_so_wins():
    for seed in range(5):
        assert {"type": "take", "heap": 2, "objects": 4} == bots.choose(
            NIM, SEARCH, heaps(0, 4, 0), ONE, Aside(b"%d" % seed)
        )


def test_it_wins_games_that_know_nothing_of_it():
    won = Counter()
    for number in range(12):
        seats = ["bot:random", "bot:random"]
        seats[number % 2] = f"bot:{SEARCH}"
        game = SelfPlay(NIM, Setup(2, "nim_v1"), seats, bytes([number]) * 32)
        won[game.run().table.outcome.winners == (1 + number % 2,)] += 1

    assert 10 <= won[True]


def test_the_same_dice_give_the_same_command_and_other_dice_may_give_another():
    said = [
        [bots.choose(NIM, SEARCH, heaps(5, 6, 7), ONE, Aside(seed)) for seed in (b"a", b"b", b"c", b"d")] for _ in "12"
    ]

    assert said[0] == said[1]
    assert any(one != said[0][0] for one in said[0])


class Sealed:
    """A real state: whoever takes anything out of it but what is imagined fails."""

    def __init__(self, state):
        self.state = state


def test_it_sees_nothing_of_a_real_state_but_what_is_imagined(monkeypatch):
    real, opened = pennies(), []

    def imagine(_, state, seat, dice):
        if isinstance(state, Sealed):
            opened.append(seat)
            state = state.state
        return honest(PENNIES, state, seat, dice)

    honest = type(PENNIES).imagine
    expected = hides(real, Aside(b"x"))
    monkeypatch.setattr(type(PENNIES), "imagine", imagine)

    assert expected == hides(Sealed(real), Aside(b"x"))
    assert [ONE] == opened


def test_states_that_a_seat_cannot_tell_apart_give_the_same_commands():
    state = pennies()
    others = [
        replace(state, purses={**state.purses, TWO: purse}, hidden={TWO: hidden})
        for purse, hidden in ((3, 0), (5, 5), (4, 2))
    ]
    for seed in range(6):
        assert 1 == len({str(hides(each, Aside(b"%d" % seed))) for each in others})


def test_what_it_is_given_does_not_change():
    state = pennies()
    before = repr(state)
    hides(state, Aside(b"x"))

    assert before == repr(state)


def test_the_usual_choice_stands_unless_another_leads(monkeypatch):
    def usual(state, seat, dice):
        return {"type": "take", "heap": 1 + state.heaps.index(max(state.heaps)), "objects": 1}

    state = heaps(3, 3, 3)
    monkeypatch.setattr(search, "value", lambda *_: 0.5)

    assert usual(state, ONE, None) == search.best(NIM, usual, state, ONE, Aside(b"x"), 500)


def tried(*came_to):
    return search._Tried({"type": "end_turn"}, [*came_to])


def test_less_than_a_standard_error_is_no_lead():
    one, other = tried(1, 1, 1, 1, 1, 0), tried(0, 0, 0, 0, 0, 1)

    assert not search._leads(tried(1, 0, 1, 0, 1, 0), tried(0, 1, 0, 1, 0, 1), 1.0)
    assert not search._leads(tried(1, 1), tried(0, 0), 1.0), "so few say nothing"
    assert search._leads(one, other, 1.0)
    assert not search._leads(one, other, 3.0)


def test_the_higher_levels_go_by_the_adept_where_a_game_has_one(monkeypatch):
    met = Counter()

    def adept(state, seat, dice):
        met[seat] += 1
        return bots.choose(NIM, "random", state, seat, dice)

    monkeypatch.setattr(type(NIM), "adept", staticmethod(adept))
    monkeypatch.setattr(bots, "THINKING", dict.fromkeys(bots.THINKING, 100))
    for name in bots.THINKING:
        met.clear()
        bots.choose(NIM, name, heaps(5, 6, 7), ONE, Aside(b"x"))
        assert (name == "search:1") == (not met)
        assert name == "search:1" or min(met[ONE], met[TWO]) > 1, "it plays on for every seat"


class Counting:
    """Chances by what is taken: nothing is rolled, so that each trial of a command comes to the same."""

    def __init__(self, monkeypatch, chances):
        self.tried = Counter()
        monkeypatch.setattr(search.Worlds, "trial", lambda worlds, command, number: self.trial(worlds, command))
        self.chances = chances

    def trial(self, worlds, command):
        said = command["heap"], command["objects"]
        self.tried[said] += 1
        worlds.imagined += 1
        return self.chances(*said)

    def best(self, state, worth=500):
        def usual(state, seat, dice):
            return {"type": "take", "heap": 1, "objects": 1}

        said = search.best(NIM, usual, state, ONE, Aside(b"x"), worth)
        return said["heap"], said["objects"]


def test_commands_that_come_to_the_same_are_not_compared_with_each_other(monkeypatch):
    told = Counting(monkeypatch, lambda heap, objects: 0.5)

    assert (1, 1) == told.best(heaps(3, 3, 3))
    assert {(1, 1)}.union((heap, n) for heap in (1, 2, 3) for n in (1, 2, 3)) == told.tried.keys()
    assert {search.GLANCES} == set(told.tried.values())


def test_wins_and_losses_alone_do_not_say_that_commands_come_to_the_same(monkeypatch):
    told = Counting(monkeypatch, lambda heap, objects: 1.0)
    told.best(heaps(3, 3, 3))

    assert search.WIDTH == len(told.tried)
    assert search.GLANCES < min(told.tried.values())


def test_commands_that_are_behind_go_no_further_and_nothing_is_tried_when_none_is_left(monkeypatch):
    told = Counting(
        monkeypatch, lambda heap, objects: 0.9 if (heap, objects) == (1, 1) else 0.01 * (3 * heap + objects)
    )

    assert (1, 1) == told.best(heaps(3, 3, 3))
    assert {search.FEWEST} == set(told.tried.values())
    assert search.WIDTH == len(told.tried)


@pytest.mark.soak
def test_with_more_to_spend_more_commands_are_compared(monkeypatch):
    told = Counting(monkeypatch, lambda heap, objects: (10 * heap + objects) / 100)
    widths = []
    for level in (1, 2, 3):
        told.tried.clear()
        told.best(heaps(9, 9, 9), search.LEVELS[level])
        widths.append(len(told.tried))

    assert [6, 10, 16] == widths


def test_a_command_that_leads_alone_is_taken_without_more_trials(monkeypatch):
    told = Counting(
        monkeypatch, lambda heap, objects: 0.8 if (heap, objects) == (1, 2) else 0.01 * (3 * heap + objects)
    )

    assert (1, 2) == told.best(heaps(2), 5000)
    assert {(1, 1): search.FEWEST, (1, 2): search.FEWEST} == told.tried


def test_all_commands_of_a_trial_meet_the_same_world():
    def usual(state, seat, dice):
        return {"type": "hide", "pennies": dice.below(3)}

    met = {}
    worlds = search.Worlds(PENNIES, usual, pennies(), ONE, Aside(b"x"))
    for number in (0, 1, 0, 1):
        met.setdefault(number, set()).add(worlds.trial({"type": "hide", "pennies": 1}, number))

    assert [1, 1] == [len(results) for results in met.values()]


def test_what_deciding_has_evolved_does_not_happen_again(monkeypatch):
    game = SelfPlay(BATTALIA, Setup(2, BATTALIA.rulesets[0]), ["bot:greedy"] * 2, bytes(32))
    while not game.position.asked or game.position.asked[0].question.kind != "turn":
        game.step()
    state, seat = game.position.state, game.position.asked[0].question.seat
    command = build(BATTALIA.commands, {"type": "end_turn"})
    events = BATTALIA.decide(state, seat, command, Dice(b"x"))
    expected = state
    for event in events:
        expected = BATTALIA.evolve(expected, event)
    monkeypatch.setattr(type(BATTALIA), "evolve", None)

    assert expected == search.after(BATTALIA, state, seat, command, Dice(b"x"))


def test_chances_are_told_by_the_outcome_or_by_points_where_nothing_is_fitted(monkeypatch):
    monkeypatch.setattr(type(PENNIES), "standings", lambda *_: {ONE: 3, TWO: 0})
    assert (0.8, 0.2) == (search.value(PENNIES, pennies(), ONE), search.value(PENNIES, pennies(), TWO))

    monkeypatch.setattr(type(PENNIES), "outcome", lambda *_: Outcome("r", "c", (ONE, TWO), {}))
    assert 0.5 == search.value(PENNIES, pennies(), ONE)
    monkeypatch.setattr(type(PENNIES), "allies", lambda *_: (TWO,))
    assert 1.0 == search.value(PENNIES, pennies(), ONE)


def test_chances_are_told_by_what_was_fitted_to_the_features_there_are(monkeypatch):
    monkeypatch.setattr(type(PENNIES), "features", lambda *_: {"purse": 2.0, "one": 1.0})
    monkeypatch.setattr(type(PENNIES), "fits", {"one purse": {"weights": {"one": -1.0, "purse": 0.5}}})
    assert 0.5 == search.value(PENNIES, pennies(), ONE)

    monkeypatch.setattr(type(PENNIES), "fits", {"one purse": {"weights": {"one": 1e9, "purse": 0}}})
    assert 0.999 < search.value(PENNIES, pennies(), ONE) <= 1


@pytest.mark.parametrize("kind", GAMES)
def test_nobody_can_seat_it_at_a_table(kind):
    game = GAMES[kind]

    assert set(bots.THINKING).isdisjoint(bots.names(game))
    assert set(bots.THINKING) < set(bots.all_names(game))


@pytest.mark.parametrize("worth", [200, 1000])
def test_a_decision_imagines_about_as_many_commands_as_it_is_worth(monkeypatch, worth):
    made, honest = [], search.after
    monkeypatch.setattr(search, "after", lambda *given: made.append(given) or honest(*given))
    search.best(
        NIM,
        lambda state, seat, dice: bots.choose(NIM, "random", state, seat, dice),
        heaps(5, 6, 7),
        ONE,
        Aside(b"x"),
        worth,
    )

    assert worth <= len(made) < worth + 6 * 18, "one trial of each command more at most"


def test_a_trial_goes_on_until_the_game_says_that_it_is_far_enough(monkeypatch):
    worlds = search.Worlds(NIM, lambda *given: {"type": "take", "heap": 1, "objects": 1}, heaps(9), ONE, Aside(b"x"))
    monkeypatch.setattr(type(NIM), "far_enough", lambda _, start, state: state.moves - start.moves >= 3)
    worlds.trial({"type": "take", "heap": 1, "objects": 1}, 0)

    assert 3 == worlds.imagined
