"""Fitting how seats stand to what they win, and playing by it."""

import importlib.util
import json
import sys

import pytest

from service.cli.simulating.fitting import fits
from tests.pennies import PENNIES

CALL = ("simulate", "--kind", "pennies", "--bots", "random", "--games", 20, "--seed", "x", "--options", "points=4")


def lead(_, state, seat):
    return {"lead": state.points[seat] - max(n for each, n in state.points.items() if each != seat), "one": 1.0}


def read(file):
    spec = importlib.util.spec_from_file_location("fitted", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FITS


def test_a_fit_says_how_it_was_made_and_that_who_leads_wins(oraclewheel, monkeypatch, tmp_path):
    monkeypatch.setattr(type(PENNIES), "features", lead)
    monkeypatch.setattr(type(PENNIES), "fits", {"older": {"weights": {"older": 1.5}}})
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


def test_the_same_games_give_the_same_fit_however_many_are_played_at_once(oraclewheel, monkeypatch, tmp_path):
    monkeypatch.setattr(type(PENNIES), "features", lead)
    oraclewheel(*CALL, "--fit", "one.py")
    oraclewheel(*CALL, "--jobs", 2, "--fit", "two.py")

    assert json.dumps(read(tmp_path / "one.py")) == json.dumps(read(tmp_path / "two.py"))


def test_a_game_without_features_cannot_be_fitted(oraclewheel, tmp_path):
    status, told = oraclewheel(*CALL, "--fit", "fits.py")

    assert 2 == status
    assert "There is nothing to fit" in told
    assert not (tmp_path / "fits.py").exists()


def test_weights_are_those_of_the_odds():
    half, sure = [({"one": 1.0}, 0.5)] * 200, [({"one": 1.0}, 0.75)] * 4000
    assert 0 == pytest.approx(fits(half, {})["one"]["weights"]["one"])
    assert 1.0986 == pytest.approx(fits(sure, {"seed": "s"})["one"]["weights"]["one"], abs=0.01)
    assert "s" == fits(sure, {"seed": "s"})["one"]["seed"]


def test_the_player_that_searches_is_played_in_process(oraclewheel):
    status, told = oraclewheel(
        *("simulate", "--kind", "nim", "--bots", "search:1,random", "--games", 4, "--seed", "y", "--rotate", "--audit")
    )

    assert 0 == status, told
    assert "search:1 wins, of its seats" in told
    assert "search:9" not in told
    assert 2 == oraclewheel("simulate", "--kind", "nim", "--bots", "search:9")[0]
