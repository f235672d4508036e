"""The verdict and the document of a report: findings, where they are, and what is not proved."""

from __future__ import annotations

import pytest

from service.audit.report import CHECKS, AuditReport, Divergence

FOUND = Divergence("AUD-08", "the die is loaded", 7, rule="PEN-03")
FACTS = {"status": "over", "form": 2, "sandbox": False, "commits": 9}


def report(*divergences, authenticated=False, **facts):
    statuses = dict.fromkeys(CHECKS, "ok")
    return AuditReport(statuses, divergences, {"AUD-04": "the file has none"}, authenticated, {**FACTS, **facts})


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({}, "AUD-08: the file: it is so"),
        ({"line": 3}, "AUD-08: line 3: it is so"),
        ({"seq": 0}, "AUD-08: seq 0: it is so"),
        ({"seq": 2, "line": 3}, "AUD-08: seq 2: it is so"),
        ({"rule": "PEN-01"}, "AUD-08: rule PEN-01: it is so"),
        ({"line": 3, "rule": "PEN-01"}, "AUD-08: line 3, rule PEN-01: it is so"),
        ({"seq": 2, "line": 3, "rule": "PEN-01"}, "AUD-08: seq 2, rule PEN-01: it is so"),
    ],
)
def test_a_divergence_names_its_commit_or_line_and_its_rule(where, says):
    assert says == str(Divergence("AUD-08", "it is so", **where))


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({}, "authenticated"),
        ({"status": "running"}, "authenticated as far as a running game can be checked: a prefix up to seq 9"),
        ({"form": 1}, "authenticated; set-up not bound"),
        ({"sandbox": True}, "authenticated; a sandbox, which proves nothing"),
        ({"form": 1, "sandbox": True}, "authenticated; set-up not bound; a sandbox, which proves nothing"),
    ],
)
def test_the_verdict_states_what_is_not_proved(facts, says):
    assert says == report(authenticated=True, **facts).verdict
    assert f"self-consistent, not {says}" == report(**facts).verdict
    assert f"DIVERGES: {FOUND}" == report(FOUND, Divergence("AUD-13", "and so on"), **facts).verdict


def test_the_document_has_all_checks_in_order_and_all_divergences():
    told = report(FOUND, authenticated=True).to_json()

    assert {"ok", "authenticated", "unvouched", "verdict", "facts", "checks", "divergences"} == told.keys()
    assert (False, True, FACTS) == (told["ok"], told["authenticated"], told["facts"])
    assert [(id_, title, "ok") for id_, title in CHECKS.items()] == [
        (check["id"], check["title"], check["status"]) for check in told["checks"]
    ]
    assert {"AUD-04": "the file has none"} == {c["id"]: c["note"] for c in told["checks"] if c["note"] is not None}
    assert {"id", "title", "status", "note"} == set(told["checks"][0])
    assert [{"check": "AUD-08", "seq": 7, "line": None, "rule": "PEN-03", "what": "the die is loaded"}] == told[
        "divergences"
    ]
    assert report().to_json()["ok"]
