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
    return "round 1, table 1: ranks is"


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


def swap_games(document):
    one, two = document["rounds"][0]["tables"][0], document["rounds"][1]["tables"][0]
    for name in ("game", "ranks", "reason", "head", "ended_at"):
        one[name], two[name] = two[name], one[name]
    return "round 1, table 1: game is"


def remove_last_round(document):
    document["rounds"].pop()
    document["round"] -= 1
    return "the tournament is not over"


def remove_result(document):
    document["rounds"][-1]["tables"][0].update(ranks=None, reason=None, head=None, ended_at=None)
    return "is over, but the document has no result"


def remove_ranks(document):
    document["rounds"][-1]["tables"][0]["ranks"] = None
    return "round 3, table 1: ranks is None"


def change_reason(document):
    document["rounds"][0]["tables"][0]["reason"] = "resigned"
    return "round 1, table 1: reason is resigned"


def change_end(document):
    document["rounds"][0]["tables"][0]["ended_at"] += 1
    return "round 1, table 1: ended_at is"


def change_balance(document):
    document["rounds"][0]["balance"]["most_games"] += 1
    return "round 1: balance is"


def change_played(document):
    document["standings"][0]["rows"][0]["played"] += 1
    return "the standings are not those of the results"


def change_crosstable(document):
    document["standings"][0]["crosstable"][0].reverse()
    return "the standings are not those of the results"


def change_kind(document):
    document["settings"]["kind"] = "pennies"
    return "other settings than the tournament: kind"


def change_options(document):
    document["settings"]["options"] = {"heaps": 99}
    return "other settings than the tournament: options"


def change_entered(document):
    document["entered"] += 1
    return "entered is 4, not 3"


def change_round(document):
    document["round"] += 1
    return "round is 4, not 3"


def change_entry_state(document):
    document["entries"][0]["state"] = "withdrawn"
    return "entry 1: state is withdrawn, not entered"


def change_state(document):
    document["state"] = "registration"
    return "the state is registration, but the seed is published"


FORGERIES = [
    *(swap_ranks, swap_players, swap_games, change_points, change_seed, change_head, move_bye, remove_last_round),
    *(remove_result, remove_ranks, change_reason, change_end, change_balance, change_played, change_crosstable),
    *(change_kind, change_options, change_entered, change_round, change_entry_state, change_state),
]


@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forged_document_is_found(files, forge):
    exports, document, folder = files
    expected = forge(document)
    result = run(document, exports, folder)

    assert 1 == result.exit_code
    assert expected in result.output


def test_a_walkover_needs_an_entry_that_was_withdrawn(files):
    exports, document, folder = files
    table = document["rounds"][-1]["tables"][0]
    exports = [each for each in exports if each.stem != table["game"]]
    table.update(game=None, head=None, reason=None, ended_at=None, ranks=table["ranks"][::-1])
    result = run(document, exports, folder)

    assert 1 == result.exit_code
    assert "round 3, table 1: game is None" in result.output


def test_withdrawals_and_substitutes_are_computed_again(arena, tmp_path):
    id_ = arena.started("Ash", "Birk", "Cleo", "Dora", "Emil", format="round_robin", rounds=None)
    for name in ("Ash", "Birk"):
        player = arena.players[name]
        player.call("DELETE", f"/v1/tournaments/{id_}/entries/{player.id}", want=200)
    document = arena.finish(id_)
    result = run(document, save(arena, document, tmp_path), tmp_path)

    assert 0 == result.exit_code, result.output
    assert any(table["game"] is None for each in document["rounds"] for table in each["tables"])


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
    good = arena.read(arena.started())
    no_seats = {**good, "settings": {**good["settings"], "seats": 0}}
    twice = {**good, "entries": [good["entries"][0], *good["entries"]]}
    for document in ({}, [], {"settings": 1}, no_seats, twice, arena.read(arena.create()["id"])):
        result = run(document, [], tmp_path)

        assert 1 == result.exit_code
        assert "Error: " in result.output
        assert "Traceback" not in result.output


@pytest.mark.parametrize("entries", [[], [1], [1, 2, 3], [7, 8]])
def test_tables_of_other_entries_are_found(files, entries):
    exports, document, folder = files
    document["rounds"][0]["tables"][0]["entries"] = entries
    result = run(document, exports, folder)

    assert 1 == result.exit_code
    assert "round 1 is not paired by the rules" in result.output
