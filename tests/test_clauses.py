"""Every clause of a finished section of the rules is named by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RULES = HERE.parent / "docs" / "rules"

FINISHED = {
    "battalia": (
        "SET",
        "DAY",
        "TURN",
        "PAY",
        "MAP",
        "BAT",
        "ART",
        "END",
        "TEAM",
        "GATE",
        "RAM",
        "ARM",
        "KEE",
        "BUF",
        "ORD",
    ),
    "fronela": ("FRO",),
    "nim": ("NIM",),
}
"""The finished sections of each page of the rules; their tests are in the folder of the same name."""


def clauses(page, sections):
    """The ids in the first column of the page's tables, and those in bold."""
    text = (RULES / f"{page}.md").read_text(encoding="utf-8")
    number = r"[A-Z]+-[A-Z]?\d+[a-z]?"
    ids = re.findall(rf"^\|\s*({number})\s*\||\*\*({number})\*\*", text, re.MULTILINE)
    return [clause for pair in ids for clause in pair if clause.partition("-")[0] in sections]


def named(page):
    """The ids in the names of the test functions: ``test_bat_03_…`` names BAT-03, ``test_fro_d12_…`` FRO-D12."""
    found = set()
    for path in (HERE / page).rglob("test_*.py"):
        for name in re.findall(r"^\s*def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            for section, letter, number, tail in re.findall(r"_([a-z]+)_([a-z]?)(\d\d)([a-z]?)", name):
                clause = f"{section.upper()}-{letter.upper()}{number}"
                found |= {clause, clause + tail}
    return found


@pytest.mark.parametrize("page", FINISHED)
def test_every_clause_has_a_test(page):
    wanted = clauses(page, FINISHED[page])
    assert {clause.partition("-")[0] for clause in wanted} == set(FINISHED[page])
    assert [] == [clause for clause in wanted if clause not in named(page)]


def test_clauses_and_test_names_are_found():
    assert "BAT-15" in clauses("battalia", ("BAT",))
    assert {"BAT-03"} <= named("battalia")
    assert "BAT-99" not in named("battalia")
    assert {"FRO-05a", "FRO-D29", "FRO-D53", "FRO-E15"} <= set(clauses("fronela", ("FRO",)))
    assert "FRO-D99" not in named("fronela")
