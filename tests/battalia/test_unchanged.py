"""Making the rules faster changes nothing: seeded games offer, show and tell what they did before they were made faster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.battalia.unchanged import TABLES, digests
from tests.soaking import sample

RECORDED = json.loads(Path(__file__).with_name("unchanged.json").read_text())
"""By the release before. What a ruleset makes of a command and what it offers is never recorded again; whoever tells more in a view
or a line on purpose takes the digests of that kind out, and leaves the others."""


@pytest.mark.parametrize(
    "table", sample(TABLES, 4, whole=True), ids=lambda table: f"{table.ruleset}-{table.seats}-{'+'.join(table.modules)}"
)
def test_a_seeded_game_offers_shows_and_tells_what_it_always_did(table):
    told = digests(table)
    recorded = RECORDED[str(table.number)]
    assert recorded.keys() >= {"events", "options"}
    assert recorded == {name: digest for name, digest in told.items() if name in recorded}
