"""Optimizations of the rules change no behavior: seeded games still have the recorded events, options, views, and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.battalia.unchanged import TABLES, digests
from tests.soaking import sample

RECORDED = json.loads(Path(__file__).with_name("unchanged.json").read_text())
"""Digests of the previous release. Never record events and options again. If you extend a view or a line on purpose, remove
the digests of that kind and keep the others."""


@pytest.mark.parametrize(
    "table", sample(TABLES, 4, whole=True), ids=lambda table: f"{table.ruleset}-{table.seats}-{'+'.join(table.modules)}"
)
def test_seeded_game_matches_its_recorded_digests(table):
    told = digests(table)
    recorded = RECORDED[str(table.number)]
    assert recorded.keys() >= {"events", "options"}
    assert recorded == {name: digest for name, digest in told.items() if name in recorded}
