"""Fitting evaluation weights to simulated games, and search bots in simulations."""

import importlib.util
import json
import sys

import pytest

from domain.kernel.terms import Seat
from tests.pennies import PENNIES
from tools.simulation.fitting import fits
from tools.simulation.outlooks import Seen, expected

CALL = ("simulate", "--kind", "pennies", "--bots", "random", "--games", 20, "--seed", "x", "--options", "points=4")


def lead(_, state, seat):
    return {"lead": state.points[seat] - max(n for each, n in state.points.items() if each != seat), "one": 1.0}


def read(file, name="FITS"):
    spec = importlib.util.spec_from_file_location("fitted", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_fit_records_its_origin_and_gives_a_lead_positive_weight(oraclewheel, monkeypatch, tmp_path):
    monkeypatch.setattr(type(PENNIES.bots), "features", lead)
    monkeypatch.setattr(type(PENNIES.bots), "fits", {"older": {"weights": {"older": 1.5}}})
    monkeypatch.setattr(sys, "argv", ["/bin/oraclewheel", "simulate", "--options", "points = 4"])
    status, told = oraclewheel(*CALL, "--fit", "fits.py")
    found = read(tmp_path / "fits.py")

    assert 0 == status, told
    assert {"older", "lead one"} == found.keys(), "what was fitted before stands"
    fit = found["lead one"]
    assert (20, ["random", "random"], "x", []) == (fit["games"], fit["bots"], fit["seed"], fit["modules"])
    assert "oraclewheel simulate --options 'points = 4'" == fit["command"]
    assert fit["release"]
    assert fit["states"] > 100
    assert fit["weights"]["lead"] > 0.3
    assert fit["doubt"] < fit["doubt_by_the_mean"]


def test_fit_does_not_depend_on_the_number_of_jobs(oraclewheel, monkeypatch, tmp_path):
    monkeypatch.setattr(type(PENNIES.bots), "features", lead)
    oraclewheel(*CALL, "--fit", "one.py")
    oraclewheel(*CALL, "--jobs", 2, "--fit", "two.py")

    assert json.dumps(read(tmp_path / "one.py")) == json.dumps(read(tmp_path / "two.py"))


def test_game_without_features_cannot_be_fitted(oraclewheel, tmp_path):
    status, told = oraclewheel(*CALL, "--fit", "fits.py")

    assert 2 == status
    assert "Nothing was fitted: no game ended" in told
    assert not (tmp_path / "fits.py").exists()


def test_weights_are_log_odds():
    half, sure = [({"one": 1.0}, 0.5)] * 200, [({"one": 1.0}, 0.75)] * 4000
    assert 0 == pytest.approx(fits(half, {})["one"]["weights"]["one"])
    assert 1.0986 == pytest.approx(fits(sure, {"seed": "s"})["one"]["weights"]["one"], abs=0.01)
    assert "s" == fits(sure, {"seed": "s"})["one"]["seed"]


def test_search_bot_can_be_simulated_in_process(oraclewheel):
    status, told = oraclewheel(
        *("simulate", "--kind", "nim", "--bots", "search:1,random", "--games", 4, "--seed", "y", "--rotate", "--audit")
    )

    assert 0 == status, told
    assert "search:1 wins, of its seats" in told
    assert "search:9" not in told
    assert 2 == oraclewheel("simulate", "--kind", "nim", "--bots", "search:9")[0]


def counted(state):
    return "late" if max(state.points.values()) > 1 else "early", {seat: {"one": 1.0} for seat in state.points}


def test_expected_points_are_fitted_for_each_phase_of_the_game(oraclewheel, monkeypatch, tmp_path):
    monkeypatch.setattr(type(PENNIES.bots), "features", lead)
    monkeypatch.setattr(type(PENNIES.bots), "outlook", lambda _, state: counted(state))
    monkeypatch.setattr(type(PENNIES.rules), "standings", lambda _, state: state.points)
    monkeypatch.setattr(type(PENNIES.bots), "outlooks", {"older": {"weights": {"one": 1.5}}})
    status, told = oraclewheel(*CALL, "--fit", "fits.py")
    found = read(tmp_path / "fits.py", "OUTLOOKS")

    assert 0 == status, told
    assert {"older", "early", "late"} == found.keys(), "what was fitted before stands"
    early, late = found["early"]["weights"]["one"], found["late"]["weights"]["one"]
    assert 4 > early > late > 0
    assert 20 == found["late"]["games"]


def test_expectations_are_least_squares_with_the_spread_of_the_winners():
    one, two = Seat(1), Seat(2)
    told = {one: {"strong": 1.0, "weak": 0.0}, two: {"strong": 0.0, "weak": 1.0}}
    won = [Seen((("now", told, {one: 5, two: 5}),), {one: 11, two: 7}, {one: 1.0, two: 0.0})] * 880
    lost = [Seen((("now", told, {one: 5, two: 5}),), {one: 11, two: 7}, {one: 0.0, two: 1.0})] * 119
    fit = expected([*won, *lost], {"command": "simulate", "games": 999, "seed": "s"})["now"]

    assert (6, 2) == (
        pytest.approx(fit["weights"]["strong"], abs=0.05),
        pytest.approx(fit["weights"]["weak"], abs=0.05),
    )
    assert 2 == fit["spread"], "seven of eight where the odds are by e to the second"
    assert 0 == pytest.approx(fit["astray"], abs=0.05)
    assert (999, 999, "simulate") == (fit["states"], fit["games"], fit["command"])
