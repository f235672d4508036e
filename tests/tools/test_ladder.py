"""The ladder: pairings, ratings, and their uncertainty."""

import json
import math
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.terms import Seat
from tests.pennies import PENNIES
from tools.commands import ladder
from tools.commands.ladder import meetings
from tools.commands.simulate import SimulationPlan
from tools.simulation import rating
from tools.simulation.figures import Result


def result(number, sitting, winners):
    return Result(number, tuple(sitting), "points", "PEN-04", winners, {Seat(1): 1}, 10, 0.1)


def games(one, other, won, lost):
    """Games for two in which the first bot won and lost so many games, in alternating seats."""
    winners = [one] * won + [other] * lost
    sat = [(one, other) if number % 2 else (other, one) for number in range(len(winners))]
    return [
        result(n, pair, (1 + pair.index(winner),)) for n, (pair, winner) in enumerate(zip(sat, winners, strict=True))
    ]


def of(bots, results):
    return {each.bot: each for each in rating.ratings(bots, results)}


def test_three_wins_of_four_give_odds_of_three_to_one():
    found = of(("a", "b"), games("b", "a", 3000, 1000))

    assert 400 * math.log10(3) == pytest.approx(found["b"].points, abs=1)
    assert (0, 0) == (found["a"].points, found["a"].half), "the first is the measure"
    assert 12 == pytest.approx(found["b"].half, abs=1), "1.96 / sqrt(4000 · ¾ · ¼), in points"
    assert (3000, 4000) == (found["b"].won, found["b"].sat)


def test_more_games_reduce_the_uncertainty():
    few, many = (of(("a", "b"), games("b", "a", n, n))["b"] for n in (5, 80))

    assert 0 == pytest.approx(few.points) == pytest.approx(many.points)
    assert 3 * many.half < few.half


def test_bot_that_won_every_game_has_a_finite_rating():
    found = of(("a", "b"), games("b", "a", 10, 0))["b"]

    assert 200 < found.points < 1500
    assert 100 < found.half


def test_bots_that_never_met_are_compared_through_common_opponents():
    found = rating.ratings(("a", "b", "c"), games("b", "a", 300, 100) + games("c", "b", 300, 100))

    assert ["c", "b", "a"] == [each.bot for each in found]
    assert 2 * 400 * math.log10(3) == pytest.approx(found[0].points, rel=0.03)


def test_equal_bots_at_a_table_of_four_win_one_game_in_four():
    bots = ("a", "b", "b", "b")
    quarter = [result(n, bots, (1,) if n % 4 == 0 else (2 + n % 3,)) for n in range(400)]
    half = [result(n, bots, (1,) if n % 2 == 0 else (2,)) for n in range(400)]

    assert 0 == pytest.approx(of(("b", "a"), quarter)["a"].points, abs=1)
    assert 400 * math.log10(3) == pytest.approx(of(("b", "a"), half)["a"].points, abs=3)


def test_shared_wins_are_split_and_games_without_a_winner_do_not_count():
    assert 0 == pytest.approx(of(("a", "b"), [result(n, ("a", "b"), (1, 2)) for n in range(9)])["b"].points)
    assert 0 == of(("a", "b"), [result(1, ("a", "b"), ())])["b"].sat


def plan(seats):
    return SimulationPlan("pennies", PENNIES.rules.check(Setup(seats, "", {})), ("a", "b", "c"), "s")


def test_every_pair_meets_equally_often_on_every_seat():
    for seats in (2, 3, 4):
        met, sat = Counter(), Counter()
        for meeting in meetings(plan(seats), ("a", "b", "c")):
            met[frozenset(meeting.bots)] += 1
            for number in range(2 * seats):
                sat.update(enumerate(meeting.seats(number)))

        assert {frozenset("ab"), frozenset("ac"), frozenset("bc")} == met.keys()
        assert 1 == len(set(sat.values())), sat
        assert 3 * seats == len(sat)


CALL = ("ladder", "--kind", "pennies", "--bots", "random,greedy", "--games", 8, "--seed", "x", "--options", "points=2")


def test_ladder_command_prints_and_plots_the_ratings(oraclewheel, tmp_path):
    status, told = oraclewheel(*CALL, "--plot", "ladder.svg")

    assert 0 == status, told
    assert "Pennies, 2 seats, pennies_v1, 8 games, seed x" in told
    assert "random" in told
    assert "against greedy" in told
    assert ET.parse(tmp_path / "ladder.svg").getroot().tag.endswith("svg")
    assert oraclewheel(*CALL) == oraclewheel(*CALL, "--jobs", 2)


@pytest.mark.parametrize(
    ("call", "option"),
    [
        (CALL, "--plot"),
        (("simulate", "--kind", "pennies", "--games", 1, "--options", "points=2"), "--plot"),
        (("simulate", "--kind", "pennies", "--games", 1, "--options", "points=2"), "--fit"),
        (("analyse", "file"), "--svg"),
        (("bench", "rules"), "--markdown"),
    ],
)
@pytest.mark.parametrize("picture", ["nowhere/a.svg", "file/a.svg", ".", ""])
def test_unwritable_output_file_is_refused_before_the_work(oraclewheel, call, option, picture):
    Path("file").touch()
    status, told = oraclewheel(*call, option, picture)

    assert 2 == status, told
    assert f"Invalid value for '{option}'" in told


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_ladder_is_printed_even_if_the_disk_is_full(oraclewheel):
    status, told = oraclewheel(*CALL, "--plot", FULL)

    assert 1 == status
    assert "against greedy" in told
    assert f"{FULL} cannot be written: No space left on device." in told


@pytest.mark.parametrize("option", ["--patience", "--minutes"])
def test_nan_is_refused_as_a_time(oraclewheel, option):
    status, told = oraclewheel("ladder", "--url", "http://127.0.0.1:1", option, "nan")

    assert 2 == status
    assert f"Invalid value for '{option}'" in told
    assert "is not a number" in told


def test_interrupted_ladder_reports_the_games_played(oraclewheel, monkeypatch):
    def played(plan, players, games, jobs):
        yield result(1, ("greedy", "random"), (1,))
        raise KeyboardInterrupt

    monkeypatch.setattr(ladder, "played", played)
    status, told = oraclewheel(*CALL)

    assert 0 == status
    assert "Broken off after 1 of 8 games." in told
    assert "1 games, seed x" in told
    assert "greedy     against random     100 %" in told


def test_json_ladder_has_all_bots_by_default(oraclewheel):
    status, told = oraclewheel("ladder", "--kind", "pennies", "--games", 2, "--options", "points=1", "--json")
    found = json.loads(told[told.index("{") :])

    assert 0 == status, told
    assert {"greedy", "random", "search:1"} == {each["bot"] for each in found["ratings"]}
    assert {"bot": "greedy", "points": 0.0, "half": 0.0}.items() <= next(
        each for each in found["ratings"] if each["bot"] == "greedy"
    ).items()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--kind", "chess"), "'chess' is not a game. Choose from battalia, fronela"),
        (("--kind", "pennies", "--bots", "greedy,deep"), "'deep' is not a bot. Choose from random, greedy, search:1"),
        (("--kind", "pennies", "--bots", "greedy"), "give at least two bots"),
        (("--kind", "pennies", "--seats", 9), "2 to 4 seats"),
    ],
)
def test_invalid_ladder_arguments_are_reported(oraclewheel, arguments, told):
    status, output = oraclewheel("ladder", *arguments)

    assert 2 == status
    assert told in output
