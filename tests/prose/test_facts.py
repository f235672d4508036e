"""No fact of the documentation was lost when it was rewritten and split, except those with a reason."""

from __future__ import annotations

import subprocess

import pytest

from tests.prose.facts import BEFORE, dropped, facts, missing, normal, old_pages, today


def test_facts_are_found():
    text = "After five\nseconds `GET /v1/me` returns 404 (PAY-04). Set ORACLEWHEEL_PORT; see /v1/games/{game}, `1,000 MiB`, 1,000 MiB."

    assert {
        ("code", "GET /v1/me"),
        ("code", "1000 MiB"),
        ("number", "5 s"),
        ("number", "1000 MiB"),
        ("status", "404"),
        ("setting", "ORACLEWHEEL_PORT"),
        ("path", "/v1/me"),
        ("path", "/v1/games/{game}"),
        ("clause", "PAY-04"),
    } == facts(text)


def test_missing_fact_is_reported():
    old = [("a.md", "number", "5 s"), ("a.md", "code", "wait=10"), ("b.md", "status", "404")]

    assert [("b.md", "status", "404")] == missing(old, normal("Send `Prefer: wait=10` for 5 seconds."))


def test_every_dropped_fact_has_a_reason():
    assert len(dropped()) > 100
    assert [] == [fact for fact, reason in dropped().items() if len(reason) < 10]


@pytest.mark.soak
@pytest.mark.parametrize("revision", BEFORE)
def test_no_fact_is_lost(revision):
    try:
        pages = old_pages(revision)
    except subprocess.CalledProcessError:
        pytest.skip("needs the git history")
    old = sorted({(page, kind, fact) for page, text in pages.items() for kind, fact in facts(text)})

    assert len(old) > 3000
    assert [] == [each for each in missing(old, today()) if each[2] not in dropped()]
