"""`oraclewheel standings`: the document and the exports of a tournament are enough to compute it again."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from service.cli.commands.standings import command


@pytest.fixture
def files(arena, tmp_path):
    """The document of a finished Swiss tournament, and the exports of its games."""
    document = arena.finish(arena.started("Ash", "Birk", "Cleo"))
    return save(arena, document, tmp_path), document, tmp_path


def save(arena, document, folder):
    exports = []
    for table in (table for each in document["rounds"] for table in each["tables"] if table["game"]):
        path = folder / f"{table['game']}.ndjson"
        path.write_bytes(arena.organizer.get(f"/v1/games/{table['game']}/export", want=200).body)
        exports.append(path)
    return exports


def run(document, exports, folder):
    path = folder / "tournament.json"
    path.write_text(json.dumps(document))
    return CliRunner().invoke(command, [str(path), *map(str, exports), "--jobs", "1"])


def test_a_finished_tournament_is_computed_again(files):
    exports, document, folder = files
    result = run(document, exports, folder)

    assert 0 == result.exit_code, result.output
    assert "3 games, 3 rounds: everything is equal." in result.output
    first = document["standings"][0]["rows"][0]
    assert f"1. entry {first['entry']}" in result.output


def test_a_running_tournament_is_computed_again(arena, tmp_path):
    id_ = arena.started()
    arena.play(id_)
    arena.runner.advance_all()
    document = arena.read(id_)
    exports = save(arena, document, tmp_path)

    assert 0 == run(document, exports, tmp_path).exit_code


def swap_ranks(document):
    document["rounds"][0]["tables"][0]["ranks"].reverse()
    return "places"


def swap_players(document):
    document["rounds"][0]["tables"][0]["entries"].reverse()
    return "round 1 is not paired by the rules"


def change_points(document):
    document["standings"][0]["rows"][0]["values"]["points"] += 1
    return "the standings are not those of the results"


def change_seed(document):
    document["seed"] = document["seed"][::-1]
    return "the seed does not match its commitment"


def change_head(document):
    document["rounds"][0]["tables"][0]["head"] = "0" * 64
    return "does not have the head"


def move_bye(document):
    first, second = document["rounds"][:2]
    first["byes"], second["byes"] = second["byes"], first["byes"]
    return "round 1 is not paired by the rules"


@pytest.mark.parametrize("forge", [swap_ranks, swap_players, change_points, change_seed, change_head, move_bye])
def test_a_forged_document_is_found(files, forge):
    exports, document, folder = files
    expected = forge(document)
    result = run(document, exports, folder)

    assert 1 == result.exit_code
    assert expected in result.output


def test_missing_and_foreign_exports_are_found(files, arena):
    exports, document, folder = files
    missing = run(document, exports[1:], folder)
    assert (1, True) == (missing.exit_code, f"the export of the game {exports[0].stem} is missing" in missing.output)

    other = folder / "other"
    other.mkdir()
    foreign = save(arena, arena.finish(arena.started("Emil", "Fay", rounds=1)), other)
    result = run(document, [*exports, *foreign], folder)
    assert (1, True) == (result.exit_code, "is no game of the tournament" in result.output)


def test_a_forged_export_is_found(files):
    exports, document, folder = files
    exports[0].write_bytes(exports[0].read_bytes().replace(b'"seat":1', b'"seat":2', 1))
    result = run(document, exports, folder)

    assert 1 == result.exit_code
    assert "fails the audit" in result.output


def test_what_is_no_document_is_refused(arena, tmp_path):
    for document in ({}, [], {"settings": 1}, arena.read(arena.create()["id"])):
        result = run(document, [], tmp_path)

        assert 1 == result.exit_code
        assert "Error: " in result.output
        assert "Traceback" not in result.output
