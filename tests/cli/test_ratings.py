"""`oraclewheel ratings`: the same numbers from exports, in any order, and every difference from a published list."""

from __future__ import annotations

import json

import pytest

from service.features.ratings.jobs import add_pending
from service.features.ratings.publication import LEAF, list_days, publish_day, read_day
from tests.core.http.conftest import World
from tests.features.ratings import rated


@pytest.fixture
def files(tmp_path):
    """A published list and the exports of its games, as files."""
    world = World()
    ash, birk = world.player("Ash"), world.player("Birk")
    games = [rated.finish(rated.start(ash, birk, kind="nim"), ash, birk) for _ in range(3)]
    for number, game in enumerate(games, 1):
        (tmp_path / f"{number}.ndjson").write_bytes(rated.export(ash, game))
    add_pending(world.store)
    publish_day(world.store)
    (day,) = list_days(world.store)
    (tmp_path / "list.json").write_bytes(read_day(world.store, day.day))
    (tmp_path / "seats.json").write_text(json.dumps({game: [ash.id, birk.id] for game in games}))
    return day


EXPORTS = ("1.ndjson", "2.ndjson", "3.ndjson")


def test_a_published_list_matches_the_exports_in_any_order(files, oraclewheel):
    status, told = oraclewheel("ratings", "--published", "list.json", *EXPORTS)
    assert (0, True) == (status, "nim:2:players" in told), told
    assert f"game {LEAF}, seq 1, head {files.sha256}" in told

    assert (0, told) == oraclewheel("ratings", "--published", "list.json", *reversed(EXPORTS))


def test_players_can_be_named_in_a_file(files, oraclewheel):
    published = oraclewheel("ratings", "--published", "list.json", "--json", *EXPORTS)[1]
    status, told = oraclewheel("ratings", "--seats", "seats.json", "--json", *EXPORTS)

    assert (0, True) == (status, published.startswith(told.strip()))
    assert {"mu", "sigma", "games"} == next(iter(json.loads(told)["nim:2:players"].values())).keys()


def test_differences_fail_and_are_named(files, oraclewheel, tmp_path):
    status, told = oraclewheel("ratings", "--published", "list.json", *EXPORTS[1:])
    assert (1, True) == (status, "its export is missing" in told), told

    document = json.loads((tmp_path / "list.json").read_text())
    next(iter(document["lists"][0]["ratings"].values()))["mu"] = "30.000000"
    (tmp_path / "list.json").write_text(json.dumps(document))
    status, told = oraclewheel("ratings", "--published", "list.json", *EXPORTS)
    assert (1, True) == (status, "30.000000" in told), told


def test_unusable_files_and_options_have_clear_errors(files, oraclewheel, tmp_path):
    (tmp_path / "bad").write_text("no")
    for arguments, status, why in (
        ((EXPORTS[0],), 2, "Give either --published or --seats"),
        (("--published", "list.json", "--seats", "seats.json", EXPORTS[0]), 2, "Give either"),
        (("--published", "bad", EXPORTS[0]), 1, "it is not a published list"),
        (("--seats", "bad", EXPORTS[0]), 1, "must be JSON such as"),
        (("--seats", "seats.json", "bad"), 1, "bad cannot be used"),
        (("--published", "list.json", "missing"), 2, "does not exist"),
    ):
        found, told = oraclewheel("ratings", *arguments)
        assert (status, True) == (found, why in told), told


def strange(document):
    """Documents that no service publishes, each with what the command says of it."""
    (one,) = document["lists"]
    first, *others = one["games"]
    yield {**document, "lists": []}, "it is not a published list"
    yield {**document, "lists": [one, one]}, "has nim:2:players twice"
    yield {**document, "lists": [{**one, "games": [first, first, *others]}]}, f"has {first['game']} twice"
    yield {**document, "day": "2026-01-01\n"}, "it is not a published list"
    for players in (["pa"], ["bot:random", first["players"][1]]):
        changed = {**one, "games": [{**first, "players": players}, *others]}
        yield {**document, "lists": [changed]}, "the players of its 2 seats are not known"


def test_a_strange_published_list_is_refused(files, oraclewheel, tmp_path):
    for document, why in strange(json.loads((tmp_path / "list.json").read_text())):
        (tmp_path / "strange.json").write_text(json.dumps(document))

        status, told = oraclewheel("ratings", "--published", "strange.json", *EXPORTS)

        assert (1, True) == (status, why in told), told


def test_documents_must_be_different_and_agree_about_players(files, oraclewheel, tmp_path):
    document = json.loads((tmp_path / "list.json").read_text())
    twice = ("--published", "list.json", "--published", "list.json")
    assert "document 1 is given twice" in oraclewheel("ratings", *twice, *EXPORTS)[1]

    (one,) = document["lists"]
    swapped = [{**each, "players": each["players"][::-1]} for each in one["games"]]
    later = {**document, "place": 2, "previous": files.sha256, "lists": [{**one, "games": swapped}]}
    (tmp_path / "later.json").write_text(json.dumps(later))
    status, told = oraclewheel("ratings", "--published", "list.json", "--published", "later.json", *EXPORTS)
    assert (1, True) == (status, "differ between documents" in told), told
