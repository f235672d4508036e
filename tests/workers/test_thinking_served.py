"""Bots with search in a complete service: how they are listed, what they play, and what the log shows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.workers.crew import ROOT, eventually
from tests.workers.test_serve import Instance, Player

SMALL = {
    "ORACLEWHEEL_SEARCH_1_SIMULATIONS": "30",
    "ORACLEWHEEL_SEARCH_2_SIMULATIONS": "60",
    "ORACLEWHEEL_SETTLE_WORKERS": "1",
    "ORACLEWHEEL_SIDE_WORKERS": "0",
}


@pytest.fixture
def served(tmp_path):
    started = []

    def start(**environ):
        started.append(Instance(tmp_path / f"i{len(started)}", **{**SMALL, **environ}).start())
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.stop()


def seated(ada, kind, *bots, **options):
    game = ada.post("games", kind=kind, seats=len(bots) + 1, options=options, visibility="public").json()["id"]
    for bot in bots:
        answer = ada.post(f"games/{game}/seats", bot=bot)
        assert (201, bot) == (answer.status_code, answer.json()["bot"]), answer.text
    assert ada.post(f"games/{game}/start").status_code in (200, 202)
    return game


def played(ada, game, seconds=240):
    """End the player's turns and answer every other question until the game is over."""

    def over():
        summary = ada.get(f"games/{game}")
        if summary["status"] == "over":
            return True
        if any(asked["seat"] == 1 for asked in summary["pending_questions"]):
            options = ada.get(f"games/{game}/options")["options"]
            if any(option["type"] == "end_turn" for option in options):
                ada.post(f"games/{game}/commands", wait=10, type="end_turn")
            else:
                ada.post(f"games/{game}/commands", wait=10, **first_of(options))
        return False

    eventually(over, seconds=seconds, every=0.05)


def first_of(options):
    command = {"type": options[0]["type"], **options[0]["fixed"]}
    for each in options[0]["open"]:
        (form,) = each.keys() - {"name"}
        choice = each[form]
        command[each["name"]] = {"integer": lambda c: c["min"], "one_of": lambda c: c[0], "subset_of": lambda c: []}[
            form
        ](choice)
    return command


def bots_for(kind):
    """The bots that fill a game with one player."""
    return ["search:2"] if kind == "nim" else ["search:1", "search:2"]


def entries(ada, game):
    return ada.get(f"games/{game}/events?limit=1000")["events"]


def audited(instance, ada, game, tmp_path):
    path = tmp_path / f"{game}.ndjson"
    path.write_bytes(ada.session.get(f"{instance.url}/v1/games/{game}/export", timeout=60).content)
    command = [sys.executable, "-c", "from service.cli import main; main()", "audit", str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False), path


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "options"), [("nim", {}), pytest.param("battalia", {"max_weeks": 1}, marks=pytest.mark.soak)]
)
def test_bots_with_search_play_a_complete_game_and_appear_in_the_log(served, tmp_path, kind, options):
    instance = served(ORACLEWHEEL_SEARCH_WORKERS="1")
    ada = Player(instance.url, "Ada")
    eventually(lambda: ada.get("kinds")["search_workers"] == 1)
    (known,) = [each for each in ada.get("kinds")["kinds"] if each["key"] == kind]
    assert ["search:1", "search:2", "search:3"] == known["search_bots"]
    assert not set(known["search_bots"]) & set(known["bots"])

    game = seated(ada, kind, *bots_for(kind), **options)
    played(ada, game)
    told = [each for each in entries(ada, game) if each["by"] == "bot"]
    simulations = {"search:1": 30, "search:2": 60}
    assert {(bot, simulations[bot]) for bot in bots_for(kind)} == {
        (e["bot"]["bot"], e["bot"]["simulations"]) for e in told
    }
    said = [line["type"] for each in told for line in each["lines"]]
    assert "stand_in_answered" not in said
    summary = ada.get(f"games/{game}")
    assert bots_for(kind) == [seat["bot"] for seat in summary["seats"][1:]]
    verdict, path = audited(instance, ada, game, tmp_path)
    assert 0 == verdict.returncode, verdict.stdout + verdict.stderr
    assert b'"bot":"search:2"' in path.read_bytes()


@pytest.mark.soak
def test_fallback_bots_answer_without_search_workers_and_the_events_show_it(served, tmp_path):
    instance = served(ORACLEWHEEL_SEARCH_WORKERS="0")
    ada = Player(instance.url, "Ada")
    assert 0 == ada.get("kinds")["search_workers"]
    game = seated(ada, "battalia", "search:1", max_weeks=1)
    played(ada, game)
    told = [each for each in entries(ada, game) if each["by"] == "bot"]
    assert told
    for each in told:
        (line,) = [line for line in each["lines"] if line["type"] == "stand_in_answered"]
        assert "bot" not in each
        assert "because search:1 did not answer" in line["text"]
    verdict, _ = audited(instance, ada, game, tmp_path)
    assert 0 == verdict.returncode, verdict.stdout + verdict.stderr
