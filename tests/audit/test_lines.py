"""The first line of a file describes its game: computed for each export in form 1, fixed at the start in form 2."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from service.audit.lines import build_setup, write_setup_line
from service.audit.parser import parse_export
from service.store.founding import setup_line
from tests.audit.games import table

BEGUN = {
    "game": "g7",
    "kind": "pennies",
    "ruleset": "pennies_v1",
    "options": {"points": 4},
    "modules": ["more"],
    "controllers": ["player", "bot:greedy"],
    "pace": {"mode": "free"},
    "commitment": "ab" * 32,
    "sandbox": False,
}
BOUND = setup_line(BEGUN, 1234)


@pytest.mark.parametrize(("bound", "form", "started"), [(b"", 1, None), (BOUND, 2, 1234)])
def test_a_setup_has_the_values_of_game_begun(bound, form, started):
    setup = build_setup(BEGUN, bound)

    assert {**BEGUN, "modules": ("more",), "controllers": ("player", "bot:greedy")} == {
        name: getattr(setup, name) for name in BEGUN
    }
    assert (form, started, bound) == (setup.form, setup.started, setup.bound)


def test_a_bound_setup_is_read_from_its_line_not_from_the_event():
    setup = build_setup({**BEGUN, "options": {"points": 9}}, BOUND)

    assert {"points": 4} == setup.options
    assert BOUND == write_setup_line(setup, (1, 2), over=True) == write_setup_line(setup, None, over=False)


@pytest.mark.parametrize(
    ("sandbox", "dice", "over", "told"),
    [
        (False, None, True, None),
        (False, (1, 2), True, None),
        (True, None, True, {"dice": None}),
        (True, (1, 2), True, {"dice": [1, 2]}),
        (True, (1, 2), False, {"dice": None}),
        (True, None, False, {"dice": None}),
    ],
)
def test_a_first_line_of_form_1_has_the_sandbox_script_after_the_end(sandbox, dice, over, told):
    setup = replace(build_setup(BEGUN, b""), sandbox=sandbox)
    line = json.loads(write_setup_line(setup, dice, over=over))

    assert {
        **BEGUN,
        "sandbox": told,
        "status": "over" if over else "running",
        "format": "oraclewheel/export",
        "number": 1,
        "line": "setup",
    } == line


@pytest.mark.parametrize("form", [1, 2])
@pytest.mark.parametrize("script", [None, (6, 1, 2, 3) * 40])
def test_a_file_is_read_with_the_setup_it_was_written_from(form, script):
    game = table(points=1, script=script, form=form)
    game.run()
    export = parse_export(game.export())

    assert (form, script is not None, script) == (export.setup.form, export.setup.sandbox, export.dice)
    assert (form == 2) == (export.setup.started is not None)
    assert ("g7", "over", len(game.log)) == (export.setup.game, export.status, len(export.commits))
    if form == 2:
        assert json.loads(game.line)["started"] == export.setup.started
