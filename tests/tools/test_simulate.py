"""Whole games in one process: reproducible, reported with intervals, recorded."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.audit.auditor import audit
from tests.pennies import PENNIES, DieRolled, PenniesHidden
from tools.commands.simulate import SimulationPlan, played
from tools.simulation.figures import (
    Result,
    counted,
    ends,
    happened,
    mean,
    percent,
    proportion,
    table,
    wins_by_bot,
)
from tools.simulation.plots import plot
from tools.simulation.selfplay import Deadlock, SelfPlay

SETUP = PENNIES.rules.check(Setup(3, "", {}))


def plan(**given):
    return SimulationPlan(
        **{"kind": "pennies", "setup": SETUP, "bots": ("greedy", "random", "random"), "seed": "s", **given}
    )


def test_same_seed_gives_the_same_export_byte_for_byte():
    assert played(plan(), 3)[1] == played(plan(), 3)[1]
    assert played(plan(), 3)[1] != played(plan(), 4)[1]
    assert played(plan(), 3)[1] != played(plan(seed="t"), 3)[1]


def test_games_with_seated_or_speaking_bots_pass_their_audit():
    for spoken in (False, True):
        result, export = played(plan(spoken=spoken, audited=True), 0)
        by = {json.loads(line)["body"]["actor"]["by"] for line in export.splitlines()[1:-2]}

        assert () == result.faults
        assert ({"player", "system"} if spoken else {"bot", "system"}) == by


def test_bots_rotate_through_the_seats():
    assert [("greedy", "random", "random"), ("random", "random", "greedy"), ("random", "greedy", "random")] == [
        plan(rotate=True).seats(number) for number in range(3)
    ]


def test_game_above_the_limit_is_reported_as_unfinished():
    result, export = played(plan(limit=5), 0)

    assert ("unfinished", 5, ()) == (result.reason, result.commits, result.winners)
    assert "running" == json.loads(export.splitlines()[-1])["status"]


def test_failing_rules_are_reported(monkeypatch):
    monkeypatch.setattr(type(PENNIES.rules), "decide", lambda *_: 1 / 0)
    result, _ = played(plan(), 0)

    assert "rules-fault" in result.faults[0]


def test_failing_start_is_reported(monkeypatch):
    monkeypatch.setattr(type(PENNIES.rules), "begin", lambda *_: 1 / 0)

    assert "rules-fault" in played(plan(), 0)[0].faults[0]


def test_dead_end_is_reported(monkeypatch):
    monkeypatch.setattr(type(PENNIES.rules), "awaiting", lambda *_: ())

    assert "dead end" in played(plan(), 0)[0].faults[0]
    with pytest.raises(Deadlock):
        SelfPlay(PENNIES, SETUP, ["bot:random"] * 3, b"s" * 32).run()


def result(number, winners, bots=("a", "b"), reason="points", **given):
    scores = {Seat(1): 3, Seat(2): 1}
    return Result(number, bots, reason, "PEN-04", winners, scores, 10 + number, 0.5, {"round": number}, **given)


def test_proportions_and_means_come_with_intervals():
    assert pytest.approx((0.5, 0.2366, 0.7634), abs=1e-4) == proportion(5, 10)
    assert (0.0, 0.0, 0.0) == proportion(0, 0)
    assert 0 == proportion(0, 10)[1] < proportion(0, 10)[2] < 0.3
    assert " 50 % [24-76]" == percent(5, 10)
    assert pytest.approx((2.0, 1.1316), abs=1e-4) == mean([1.0, 2.0, 3.0])
    assert (7.0, 0.0) == mean([7.0])


def test_report_counts_ends_wins_and_points():
    results = [result(1, (1,)), result(2, (1, 2)), result(3, (2,), ("b", "a"), "cities"), result(4, (), reason="-")]
    told = table(results)

    assert {("points", "PEN-04"): 2, ("cities", "PEN-04"): 1, ("-", "PEN-04"): 1} == ends(results)
    assert {"a": (3, 3), "b": (1, 3)} == wins_by_bot(results[:3])
    assert "round at the end" in told
    assert "seat 1 wins" in told
    assert "shared wins" in told
    assert "commits/s" in told


@pytest.mark.soak
def test_plot_uses_the_largest_measure_of_length(tmp_path):
    dated = [replace(result(n, (1,)), measures={"day": n % 7, "week": n // 7}) for n in range(40)]
    plot(dated, "Games", tmp_path / "games.svg")
    plot([result(1, (1,))], "A game", tmp_path / "game.svg")

    assert "week at the end" in (tmp_path / "games.svg").read_text()
    assert "day at the end" not in (tmp_path / "games.svg").read_text()
    assert "commits at the end" in (tmp_path / "game.svg").read_text()


def test_events_are_counted_by_type_by_field_and_by_combination():
    events = [DieRolled(3, {}), PenniesHidden(Seat(1), 2), PenniesHidden(Seat(2), 0), PenniesHidden(Seat(2), 1)]

    assert {"pennies_hidden": 3} == happened(["pennies_hidden", "hand_closed"], events)
    assert {"pennies_hidden/seat=1": 1, "pennies_hidden/seat=2": 2} == happened(["pennies_hidden/seat"], events)
    assert {"die_rolled+pennies_hidden": 1} == happened(["die_rolled+pennies_hidden", "die_rolled+hand_closed"], events)
    assert {"die_rolled": 1, "pennies_hidden": 3} == happened(["all"], events)
    several = [result(1, (1,), counts={"one": 2}), result(2, (1,), counts={"two": 1})]
    assert {"one": [2, 0], "two": [0, 1]} == counted(several)
    assert "two in a game" in table(several)


def test_simulate_command_reports_plots_and_records(oraclewheel, tmp_path):
    status, told = oraclewheel(
        *("simulate", "--kind", "pennies", "--bots", "greedy,random", "--games", 12, "--seed", "x", "--audit"),
        *("--options", "points=2", "--plot", "games.svg", "--record", "kept", "--count", "all"),
    )
    recording = next((tmp_path / "kept").iterdir())

    assert 0 == status, told
    assert "Pennies, pennies_v1, greedy, random, seed x" in told
    assert '"points": 2' in told
    assert "game_ended in a game" in told
    assert ET.parse(tmp_path / "games.svg").getroot().tag.endswith("svg")
    assert recording.name.startswith("pennies-2-points-")
    assert audit(recording.read_bytes(), games=GAMES).is_ok


def test_simulate_command_output_does_not_depend_on_the_number_of_jobs(oraclewheel):
    call = ("simulate", "--kind", "pennies", "--games", 4, "--seed", "x", "--json")

    assert oraclewheel(*call) == oraclewheel(*call, "--jobs", 2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--kind", "chess"), "'chess' is not a game. Choose from battalia, fronela"),
        (("--kind", "pennies", "--bots", "deep"), "'deep' is not a bot. Choose from random, greedy"),
        (("--kind", "pennies", "--bots", "random,random,random", "--seats", 2), "3 bots were given for 2 seats"),
        (("--kind", "pennies", "--seats", 9), "2 to 4 seats"),
        (("--kind", "pennies", "--options", "points"), "is not NAME=VALUE"),
        (("--kind", "pennies", "--options", "speed=3"), "there is no such option"),
    ],
)
def test_invalid_simulate_arguments_are_reported(oraclewheel, arguments, told):
    status, output = oraclewheel("simulate", *arguments)

    assert 2 == status
    assert told in output


def test_battalia_is_simulated_and_audited(oraclewheel):
    status, told = oraclewheel(
        *("simulate", "--seats", 3, "--bots", "greedy,random,random", "--games", 2, "--seed", "y", "--audit"),
        *("--options", "max_weeks=1"),
    )

    assert 0 == status, told
    assert "week at the end" in told
