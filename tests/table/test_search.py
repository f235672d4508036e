"""The search bot: uses only imagined states, repeats itself with the same dice, and improves on the usual choice."""

from collections import Counter
from dataclasses import replace

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.nim.game import NIM
from domain.games.nim.game import NimState as Heaps
from domain.kernel.dice import Aside, Dice
from domain.kernel.game.rules import Setup
from domain.kernel.shape import build
from domain.kernel.terms import Outcome, Seat
from domain.registry import GAMES
from domain.table import bots
from domain.table.bots import search
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

SEARCH = "search:1"
ONE, TWO = Seat(1), Seat(2)


def heaps(*sizes):
    return Heaps("nim_v1", sizes, "wins", ONE)


def pennies(seed=b"p"):
    (begun,) = PENNIES.rules.begin(PENNIES.rules.check(Setup(2, "", {})), Dice(seed))
    return PENNIES.rules.evolve(None, begun)


def hides(state, dice):
    return bots.choose(PENNIES, SEARCH, state, ONE, dice)


def test_search_bot_takes_the_last_objects_to_win():
    for seed in range(5):
        assert {"type": "take", "heap": 2, "objects": 4} == bots.choose(
            NIM, SEARCH, heaps(0, 4, 0), ONE, Aside(b"%d" % seed)
        )


def test_search_bot_beats_the_random_bot():
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
    """A real state whose contents only `imagine` can read."""

    def __init__(self, state):
        self.state = state


def test_search_bot_reads_a_real_state_only_through_imagine(monkeypatch):
    real, opened = pennies(), []

    def imagine(_, state, seat, dice):
        if isinstance(state, Sealed):
            opened.append(seat)
            state = state.state
        return honest(PENNIES, state, seat, dice)

    honest = type(PENNIES.knowledge).imagine
    expected = hides(real, Aside(b"x"))
    monkeypatch.setattr(type(PENNIES.knowledge), "imagine", imagine)

    assert expected == hides(Sealed(real), Aside(b"x"))
    assert [ONE] == opened


def test_states_that_look_the_same_to_a_seat_give_the_same_commands():
    state = pennies()
    others = [
        replace(state, purses={**state.purses, TWO: purse}, hidden={TWO: hidden})
        for purse, hidden in ((3, 0), (5, 5), (4, 2))
    ]
    for seed in range(6):
        assert 1 == len({str(hides(each, Aside(b"%d" % seed))) for each in others})


def test_search_does_not_change_the_given_state():
    state = pennies()
    before = repr(state)
    hides(state, Aside(b"x"))

    assert before == repr(state)


def test_usual_choice_is_kept_unless_another_leads(monkeypatch):
    def usual(state, seat, dice):
        return {"type": "take", "heap": 1 + state.heaps.index(max(state.heaps)), "objects": 1}

    state = heaps(3, 3, 3)
    monkeypatch.setattr(search, "value", lambda *_: 0.5)

    assert usual(state, ONE, None) == search.best(NIM, usual, state, ONE, Aside(b"x"), 500)


def tried(*came_to):
    return search._Tried({"type": "end_turn"}, [*came_to])


def test_command_leads_only_by_enough_standard_errors():
    one, other = tried(1, 1, 1, 1, 1, 0), tried(0, 0, 0, 0, 0, 1)

    assert not search._leads(tried(1, 0, 1, 0, 1, 0), tried(0, 1, 0, 1, 0, 1), 1.0)
    assert not search._leads(tried(1, 1), tried(0, 0), 1.0), "so few say nothing"
    assert search._leads(one, other, 1.0)
    assert not search._leads(one, other, 3.0)


def test_higher_levels_play_trials_with_the_games_adept(monkeypatch):
    met = Counter()

    def adept(state, seat, dice):
        met[seat] += 1
        return bots.choose(NIM, "random", state, seat, dice)

    monkeypatch.setattr(type(NIM.bots), "adept", staticmethod(adept))
    monkeypatch.setattr(bots, "THINKING", dict.fromkeys(bots.THINKING, 100))
    for name in bots.THINKING:
        met.clear()
        bots.choose(NIM, name, heaps(5, 6, 7), ONE, Aside(b"x"))
        assert (name == "search:1") == (not met)
        assert name == "search:1" or min(met[ONE], met[TWO]) > 1, "it plays on for every seat"


class Counting:
    """Replaces trials by fixed chances for each command, so every trial of a command has the same result."""

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


def test_commands_with_equal_results_are_not_tried_further(monkeypatch):
    told = Counting(monkeypatch, lambda heap, objects: 0.5)

    assert (1, 1) == told.best(heaps(3, 3, 3))
    assert {(1, 1)}.union((heap, n) for heap in (1, 2, 3) for n in (1, 2, 3)) == told.tried.keys()
    assert {search.GLANCES} == set(told.tried.values())


def test_commands_that_all_win_are_still_tried_further(monkeypatch):
    told = Counting(monkeypatch, lambda heap, objects: 1.0)
    told.best(heaps(3, 3, 3))

    assert search.WIDTH == len(told.tried)
    assert search.GLANCES < min(told.tried.values())


def test_commands_that_are_behind_are_dropped_and_trials_stop_when_none_is_left(monkeypatch):
    told = Counting(
        monkeypatch, lambda heap, objects: 0.9 if (heap, objects) == (1, 1) else 0.01 * (3 * heap + objects)
    )

    assert (1, 1) == told.best(heaps(3, 3, 3))
    assert {search.FEWEST} == set(told.tried.values())
    assert search.WIDTH == len(told.tried)


@pytest.mark.soak
def test_higher_levels_compare_more_commands(monkeypatch):
    told = Counting(monkeypatch, lambda heap, objects: (10 * heap + objects) / 100)
    widths = []
    for level in (1, 2, 3):
        told.tried.clear()
        told.best(heaps(9, 9, 9), search.LEVELS[level])
        widths.append(len(told.tried))

    assert [6, 10, 16] == widths


def test_command_with_a_clear_lead_is_chosen_without_more_trials(monkeypatch):
    told = Counting(
        monkeypatch, lambda heap, objects: 0.8 if (heap, objects) == (1, 2) else 0.01 * (3 * heap + objects)
    )

    assert (1, 2) == told.best(heaps(2), 5000)
    assert {(1, 1): search.FEWEST, (1, 2): search.FEWEST} == told.tried


def test_all_commands_of_a_trial_use_the_same_imagined_world():
    def usual(state, seat, dice):
        return {"type": "hide", "pennies": dice.below(3)}

    met = {}
    worlds = search.Worlds(PENNIES, usual, pennies(), ONE, Aside(b"x"))
    for number in (0, 1, 0, 1):
        met.setdefault(number, set()).add(worlds.trial({"type": "hide", "pennies": 1}, number))

    assert [1, 1] == [len(results) for results in met.values()]


def test_state_computed_while_deciding_is_not_evolved_again_in_search(monkeypatch):
    game = SelfPlay(BATTALIA, Setup(2, BATTALIA.rules.rulesets[0]), ["bot:greedy"] * 2, bytes(32))
    while not game.position.asked or game.position.asked[0].question.kind != "turn":
        game.step()
    state, seat = game.position.state, game.position.asked[0].question.seat
    command = build(BATTALIA.rules.commands, {"type": "end_turn"})
    events = BATTALIA.rules.decide(state, seat, command, Dice(b"x"))
    expected = state
    for event in events:
        expected = BATTALIA.rules.evolve(expected, event)
    monkeypatch.setattr(type(BATTALIA.rules), "evolve", None)

    assert expected == search.after(BATTALIA, state, seat, command, Dice(b"x"))


def test_value_without_a_fit_comes_from_the_outcome_or_from_points(monkeypatch):
    monkeypatch.setattr(type(PENNIES.rules), "standings", lambda *_: {ONE: 3, TWO: 0})
    assert (0.8, 0.2) == (search.value(PENNIES, pennies(), ONE), search.value(PENNIES, pennies(), TWO))

    monkeypatch.setattr(type(PENNIES.rules), "outcome", lambda *_: Outcome("r", "c", (ONE, TWO), {}))
    assert 0.5 == search.value(PENNIES, pennies(), ONE)
    monkeypatch.setattr(type(PENNIES.rules), "allies", lambda *_: (TWO,))
    assert 1.0 == search.value(PENNIES, pennies(), ONE)


def test_value_with_a_fit_comes_from_the_weighted_features(monkeypatch):
    monkeypatch.setattr(type(PENNIES.bots), "features", lambda *_: {"purse": 2.0, "one": 1.0})
    monkeypatch.setattr(type(PENNIES.bots), "fits", {"one purse": {"weights": {"one": -1.0, "purse": 0.5}}})
    assert 0.5 == search.value(PENNIES, pennies(), ONE)

    monkeypatch.setattr(type(PENNIES.bots), "fits", {"one purse": {"weights": {"one": 1e9, "purse": 0}}})
    assert 0.999 < search.value(PENNIES, pennies(), ONE) <= 1


@pytest.mark.parametrize("kind", GAMES)
def test_search_bots_are_in_all_names_but_not_in_names(kind):
    game = GAMES[kind]

    assert set(bots.THINKING).isdisjoint(bots.names(game))
    assert set(bots.THINKING) < set(bots.all_names(game))


@pytest.mark.parametrize("worth", [200, 1000])
def test_search_stays_close_to_its_budget_of_imagined_commands(monkeypatch, worth):
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


def test_trial_continues_until_the_game_reports_that_it_is_far_enough(monkeypatch):
    worlds = search.Worlds(NIM, lambda *given: {"type": "take", "heap": 1, "objects": 1}, heaps(9), ONE, Aside(b"x"))
    monkeypatch.setattr(type(NIM.bots), "far_enough", lambda _, start, state: state.moves - start.moves >= 3)
    worlds.trial({"type": "take", "heap": 1, "objects": 1}, 0)

    assert 3 == worlds.imagined
