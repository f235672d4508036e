"""The browser and `oraclewheel audit` find the same problems at the same place, in whole games and in forgeries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from domain.kernel.dice import Dice
from service.audit.auditor import audit
from service.core.catalog.draws import build_draw_documents
from service.store import seal
from tests.audit.forger import Forger
from tests.audit.test_document import VECTORS
from tests.core.http.conftest import World
from tests.driver import play_out
from tests.recordings.make import KNOWN
from tests.soaking import soak
from tests.web.browsing import ROOT
from tests.web.check.forging import SPOILT, forged, lengthened

RECORDINGS = ROOT / "tests" / "recordings"
OURS = {"AUD-01", "AUD-02", "AUD-03", "AUD-04", "AUD-05", "AUD-06", "AUD-07", "AUD-14", "AUD-15"}
"""Checks that need no rules: here the browser must find exactly what the audit finds. For AUD-08 the browser repeats the
draws and the audit replays the rules, so only the command line finds problems that need the rules."""
TABLES = {kind: build_draw_documents(game.rules) for kind, game in KNOWN.items()}
FORGED = [
    "battalia-3-calendar-form-2",
    "battalia-2-unbound-buff",
    "battalia-6-stormgates",
    "fronela-4-undo",
    "nim-2-undo",
]
AUDITS = [
    "tests/audit/test_forgeries.py",
    "tests/audit/test_auditor.py",
    "tests/audit/test_logged.py",
    "tests/audit/test_outlines.py",
    "tests/hostile/test_forged_setup.py",
    "tests/hostile/test_forged_freedom.py",
    "tests/hostile/test_forged_import.py",
    "tests/features/chat/test_chat.py::test_only_its_author_can_erase_a_message_and_the_game_passes_the_audit",
    "tests/core/http/test_votes.py::test_players_can_end_a_game_by_a_vote_and_it_passes_the_audit",
    "tests/core/http/test_undo.py::test_the_export_of_a_game_with_undone_commits_passes_the_audit",
]


def of_the_audit(found):
    return {(check, seq) for check, seq, _ in found if check in OURS}


def of_the_browser(report):
    return {(each["check"], each["seq"]) for each in report["findings"] if each["check"] in OURS}


def drawn(found):
    return next((seq for check, seq in found if check == "AUD-08"), None)


def alike(what, found, report):
    """Compare both; the result for the dice: `alike`, `decided otherwise first`, `by deciding alone`, or None."""
    assert of_the_audit(found) == of_the_browser(report), what
    theirs = drawn((check, seq) for check, seq, _ in found)
    ours = drawn((each["check"], each["seq"]) for each in report["findings"])
    if ours is None:
        return None if theirs is None else "by deciding alone"
    decided = min(seq for check, seq, _ in found if "AUD-08" <= check <= "AUD-13")
    assert decided <= ours, what  # replaying the rules also finds a wrong draw, there or earlier
    return "alike" if theirs == ours else "decided otherwise first"


def audited(data, **given):
    return [(d.check, d.seq, d.line) for d in audit(data, games=KNOWN, **given).divergences]


# -- valid games -------------------------------------------------------------------------------------------------------


def test_browser_computes_the_documented_test_vectors(script):
    points = [point.to_bytes(32, "little").hex() for point in seal._SMALL if point < 2**255]
    given = {
        **VECTORS,
        "count": str(VECTORS["rejected"]["count"]),
        "points": [*points, "ab" * 32, points[0][:62] + "80"],
    }
    (told,) = script("vectors.mjs", given=json.dumps(given))
    commit, first = VECTORS["commit"], VECTORS["first"]

    assert VECTORS["commitment"] == told["commitment"]
    assert (VECTORS["named"], VECTORS["key"]) == (told["named"], told["key"])
    assert [{**draw, "number": str(draw["number"])} for draw in VECTORS["draws"]] == told["draws"]
    assert VECTORS["rolls"]["values"] == told["rolls"]
    assert str(VECTORS["rejected"]["value"]) == told["rejected"]
    assert VECTORS["shuffle"]["gives"] == told["shuffled"]
    assert [VECTORS[name]["next"] for name in ("rolls", "rejected", "shuffle")] == told["after"]
    assert [first["salt"], commit["salt"]] == told["salts"]
    assert [first["digest"], commit["digest"]] == told["digests"]
    assert [first["forms"]["1"]["head"], first["forms"]["2"]["head"], commit["head"]] == told["heads"]
    assert first["forms"]["2"]["previous"] == told["origin"]
    assert told["again"] == [True] * 4
    assert VECTORS["signature"]["key"] == told["id"]
    assert (told["right"], told["wrong"]) == (True, False)
    assert told["small"] == [True] * len(points) + [False, True]


@pytest.mark.soak
def test_every_recording_passes_with_all_its_draws_checked(checked):
    files = sorted(RECORDINGS.glob("*.ndjson"))
    reports = checked([path.read_bytes() for path in files], tables=TABLES)

    for path, report in zip(files, reports, strict=True):
        states = {each["id"]: each["state"] for each in report["checks"]}
        assert report["findings"] == [], path.name
        words = report["game"]["kind"] == "pennies"  # the draw of its purses is described in words only
        assert {id_ for id_, state in states.items() if state != "held"} <= {
            "AUD-04",
            "AUD-14",
            "AUD-15",
            *["AUD-08"] * words,
        }, path.name
        assert report["dice"]["unchecked"] == int(words)
        assert report["bound"] is (json.loads(path.read_bytes().partition(b"\n")[0])["number"] == 2)


def test_draws_without_a_table_are_reported_as_not_checked(checked):
    (report,) = checked([(RECORDINGS / "nim-2-wins.ndjson").read_bytes()])
    (dice,) = [each for each in report["checks"] if each["id"] == "AUD-08"]

    assert dice["state"] == "not checked"
    assert "does not know the random draws" in dice["why"]


def test_undeclared_draw_is_reported_as_undeclared(checked):
    data = (RECORDINGS / "fronela-4-undo.ndjson").read_bytes()
    rows = {**TABLES["fronela"], "battle_rolled": TABLES["fronela"]["battle_rolled"][1:]}
    forger = Forger(data)
    seq = forger.find(lambda body: any(event["type"] == "growth_rolled" for event in body.get("events", ())))
    rolled = next(event for event in forger.body(seq)["events"] if event["type"] == "growth_rolled")
    rolled["face"] = rolled["face"] % 6 + 1
    honest, forged_ = checked([data, forger.file()], tables={"fronela": rows})

    (dice,) = [each for each in honest["checks"] if each["id"] == "AUD-08"]
    assert [] == honest["findings"]
    assert "not checked" == dice["state"]
    assert "not declared" in dice["why"]
    assert 0 < honest["dice"]["undeclared"]
    assert "AUD-08" in {each["check"] for each in forged_["findings"]}, "a forged die is found all the same"


def test_draws_described_only_in_words_are_reported_as_not_checked(checked):
    data = (RECORDINGS / "battalia-2-treasures.ndjson").read_bytes()
    rows = {**TABLES["battalia"], "day_ended": [{"field": "day", "how": "choice", "text": "by the moon"}]}
    (report,) = checked([data], tables={"battalia": rows})

    assert report["findings"] == []
    assert report["dice"]["unchecked"] > 0
    assert "not checked" in [each["state"] for each in report["checks"] if each["id"] == "AUD-08"]


def test_game_with_a_substitute_gets_the_same_findings_in_both_checkers(checked):
    world = World()
    game, ash, birk = world.table(kind="nim", options={"heaps": 6}, visibility="public")
    birk.send(game, {"type": "resign"}, want=200)
    cleo = world.player("Cleo")
    cleo.post(f"/v1/games/{game}/seats/2/take", {}, want=200)
    play_out([ash, cleo], game, Dice(b"hands"))
    data = ash.get(f"/v1/games/{game}/export", want=200).body
    whole = Forger(data)
    seq = whole.find(lambda body: "tenure" in body["submission"])
    whole.body(seq)["submission"].pop("tenure")
    whole.salts[seq] = "ab" * 32

    for each, report in zip((data, whole.file()), checked([data, whole.file()], tables=TABLES), strict=True):
        assert of_the_audit(audited(each)) == of_the_browser(report)
    assert {("AUD-07", seq)} == of_the_browser(report) - {("AUD-04", None)}


# -- forgeries ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [name if name == "nim-2-undo" else pytest.param(name, marks=pytest.mark.soak) for name in FORGED]
)
def test_forged_game_gets_the_same_findings_in_both_checkers(checked, name):
    names, files = zip(*forged((RECORDINGS / f"{name}.ndjson").read_bytes()), strict=True)
    reports = checked(files, tables=TABLES)
    told = {}
    for what, data, report in zip(names, files, reports, strict=True):
        found = audited(data)
        assert found, what
        told[what] = alike(what, found, report)

    chance = {what for what in names if "." in what}
    assert {told[what] for what in chance} <= {"alike", "decided otherwise first"}
    assert {what for what in told if told[what] == "by deciding alone"} <= {"no beginning", "a commit left out"}
    assert len(chance) >= 1


@pytest.mark.parametrize("name", ["battalia-3-calendar-form-2", "pennies-points"])
def test_bytes_that_are_not_an_export_are_refused_by_both_checkers(checked, name):
    data = (RECORDINGS / f"{name}.ndjson").read_bytes()
    files = [spoil(data) for spoil in SPOILT.values()]

    for what, spoilt, report in zip(SPOILT, files, checked(files), strict=True):
        assert ["AUD-01"] == [each["check"] for each in report["findings"]], what
        assert [(check, seq) for check, seq, _ in audited(spoilt)] == [("AUD-01", report["first"]["seq"])], what
        assert {"not checked"} == {each["state"] for each in report["checks"] if each["id"] != "AUD-01"}


def test_numbers_that_javascript_would_round_are_read_exactly(checked):
    """A refused command may hold any number of 64 bits."""
    data = (RECORDINGS / "nim-2-wins.ndjson").read_bytes()
    for number in (b"9007199254740993", b"18446744073709551615", b"-9223372036854775808"):
        forged_ = data.replace(b'"objects":3,"type":"take"', b'"objects":' + number + b',"type":"take"', 1)
        assert forged_ != data
        (report,) = checked([forged_])
        assert "AUD-01" not in {each["check"] for each in report["findings"]}
        assert of_the_audit(audited(forged_)) == of_the_browser(report)
    (report,) = checked(
        [data.replace(b'"objects":3,"type":"take"', b'"objects":18446744073709551616,"type":"take"', 1)]
    )
    assert report["first"]["check"] == "AUD-01"


OUT_OF_RANGE = (-1, 2**53)


def with_number(data, place, number):
    """The export with another number in a field for instants or counts, and the rest made consistent."""
    forger = Forger(data)
    match place:
        case "started":
            forger.setup["started"] = number
        case "at":
            forger.commits[0 if number < 0 else -1]["header"]["at"] = number
        case "seq":
            forger.headers[2] = {"seq": number}
        case "commits":
            forger.ends["commits"] = number
        case "dice":
            forger.seed["dice"] = [number]
        case "entropy":
            forger.seed["entropy"] = [[number, ""]]
    return forger.file()


@pytest.mark.parametrize("place", [*soak("started", "at"), "seq", *soak("commits"), "dice", "entropy"])
def test_instants_and_counts_out_of_range_are_refused_by_both_checkers(checked, place):
    data = (RECORDINGS / "fronela-4-undo.ndjson").read_bytes()
    files = [with_number(data, place, number) for number in OUT_OF_RANGE]

    for file, report in zip(files, checked(files), strict=True):
        found = audited(file)
        assert of_the_audit(found) == of_the_browser(report)
        assert ["AUD-01"] == [check for check, _, _ in found]


@pytest.mark.soak
@pytest.mark.parametrize(("place", "number"), [("started", 0), ("at", 2**53 - 1)])
def test_the_first_and_last_instant_are_accepted_by_both_checkers(checked, place, number):
    file = with_number((RECORDINGS / "fronela-4-undo.ndjson").read_bytes(), place, number)
    (report,) = checked([file])

    assert of_the_audit(audited(file)) == of_the_browser(report)
    assert "AUD-01" not in {check for check, _ in of_the_browser(report)}


@pytest.mark.soak
def test_files_of_the_audit_tests_get_the_same_findings_in_both_checkers(script, tmp_path):
    """Reuses every file that those tests audit, so forgeries need not be written twice."""
    environ = {**os.environ, "ORACLEWHEEL_COLLECT": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.web.check.collecting",
        "-p",
        "no:cacheprovider",
        "-q",
        "-n",
        "0",
    ]
    done = subprocess.run([*command, *AUDITS], cwd=ROOT, env=environ, capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout.decode()[-2000:]
    told = [json.loads(line) for line in (tmp_path / "files.ndjson").read_text().splitlines()]
    reports = script("run.mjs", tmp_path)

    dice, forged_ = Counter(), 0
    for each, report in zip(told, reports, strict=True):
        dice[alike(each["by"], each["found"], report)] += 1
        forged_ += bool(of_the_audit(each["found"]))
    assert forged_ > 500
    assert dice["alike"] > 20
    by_deciding = {
        each["by"].partition("::")[2].partition("[")[0]
        for each, report in zip(told, reports, strict=True)
        if alike("", each["found"], report) == "by deciding alone"
    }
    assert by_deciding <= BY_DECIDING, by_deciding


BY_DECIDING = {
    "test_each_of_200_mutations_is_found_and_located",
    "test_a_changed_outcome_is_found",
    "test_changed_scores_are_found",
    "test_a_changed_event_is_found",
}
"""Tests whose forgeries change the result of a command with draws, but not the draws."""


# -- duration ----------------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_ten_thousand_commits_are_checked_in_20_seconds(checked):
    longest = lengthened((RECORDINGS / "battalia-4-all-quarrel.ndjson").read_bytes(), 10_000)
    (report,) = checked([longest], tables=TABLES)

    assert report["game"]["commits"] == 10_000
    assert {each["check"] for each in report["findings"]} == set()
    assert report["took"] < 20_000
