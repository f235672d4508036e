"""Edge cases of past views: first and newest commit, instants with time zones, and seats."""

from __future__ import annotations

import pytest

from domain import RELEASE
from domain.kernel.dice import Dice
from tests.driver import play_out

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def table(world):
    return world, *world.table()


def test_commits_are_numbered_from_one_to_the_newest(table):
    world, game, ash, _ = table
    ash.send(game, HIDE, want=200)
    newest = world.store.log.head(game)[0]

    for seq in (1, newest):
        assert f'"{seq}-{RELEASE}"' == ash.get(f"/v1/games/{game}/view", at=seq, want=200).headers["ETag"]
    for seq in ("0", str(newest + 1), "9" * 15):
        problem = ash.get(f"/v1/games/{game}/view", at=seq, want=404).json
        assert "unknown-commit" == problem["code"]
        assert f"the newest is {newest}" in problem["detail"]


@pytest.mark.parametrize("text", ["", "x", "9" * 16, "-1", "1.5", "²", "2030-13-01T00:00:00Z"])
def test_a_value_that_is_neither_a_commit_nor_an_instant_is_422_and_named(table, text):
    _, game, ash, _ = table

    problem = ash.get(f"/v1/games/{game}/view", at=text, want=422).json
    assert ("at", True) == (problem["parameter"], "2030-01-31T18:00:00Z" in problem["detail"])


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00Z", "1969-01-01T00:00:00Z", "2000-01-01T00:00:00+02:00"])
def test_an_instant_before_the_start_is_404(table, text):
    _, game, ash, _ = table

    problem = ash.get(f"/v1/games/{game}/view", at=text, want=404).json
    assert ("unknown-commit", True) == (problem["code"], "had not started" in problem["detail"])


def test_the_plus_of_an_instant_can_arrive_as_a_space(table):
    world, game, _, _ = table
    raw = world.site.call("GET", f"/v1/games/{game}/view?at=2999-01-01T00:00:00+02:00", {}, None)

    assert 200 == raw.status
    assert f"/v1/games/{game}/view?at={raw.seq}" == raw.headers["Content-Location"]


def test_an_instant_is_read_in_its_own_zone(table):
    world, game, ash, _ = table
    ash.send(game, HIDE, want=200)
    log = world.store.log
    asked = []
    world.store.log.seq_at, original = lambda game, at: asked.append(at) or original(game, at), log.seq_at
    for text in ("2999-01-01T02:00:00+02:00", "2999-01-01T00:00:00Z", "2999-01-01T00:00:00"):
        ash.get(f"/v1/games/{game}/view", at=text, want=200)
    del world.store.log.seq_at

    assert 1 == len(set(asked)), "without a zone it is UTC"
    assert 32_472_144_000_000 == asked[0]


def test_past_and_current_views_have_the_head_and_cache_headers(table):
    world, game, ash, _ = table
    ash.send(game, HIDE, want=200)
    seq, head = world.store.log.head(game)
    for player, kept in ((ash, "private, no-store"), (world.public, "no-cache")):
        now = player.get(f"/v1/games/{game}/view", want=200)
        then = player.get(f"/v1/games/{game}/view", at="2999-01-01T00:00:00Z", want=200)
        assert kept == now.headers["Cache-Control"] == then.headers["Cache-Control"]
        assert f"{seq} {head}" == now.headers["Game-Head"] == then.headers["Game-Head"]
        assert (player is world.public) == (then.json["private"] is None)
        assert "Content-Location" not in player.get(f"/v1/games/{game}/view", at=1, want=200).headers
        tag = {"If-None-Match": then.headers["ETag"]}
        same = player.get(f"/v1/games/{game}/view", at="2999-01-01T00:00:00Z", headers=tag)
        assert (304, f"{seq} {head}") == (same.status, same.headers["Game-Head"])


def test_past_views_of_a_finished_private_game_are_not_publicly_cacheable(world):
    ash, birk = world.player(), world.player()
    made = ash.make_game(options={"points": 1}, visibility="private")
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    play_out([ash, birk], made["id"], Dice(b"2" * 32))

    for player in (ash, birk):
        told = player.get(f"/v1/games/{made['id']}/view", at=1, want=200)
        assert told.headers["Cache-Control"].startswith("private, ")


def test_the_content_location_of_an_instant_includes_the_seat(world):
    ash, birk = world.player(), world.player()
    game = ash.make_game(options={"points": 1})["id"]
    birk.join(game)
    ash.start(game)
    play_out([ash, birk], game, Dice(b"3" * 32))

    told = world.public.get(f"/v1/games/{game}/view", at="2999-01-01T00:00:00Z", seat=2, want=200)
    assert f"/v1/games/{game}/view?at={told.seq}&seat=2" == told.headers["Content-Location"]
    kept = world.public.get(told.headers["Content-Location"], want=200)
    assert kept.json == told.json
    assert kept.json["private"] is not None


def test_current_and_past_views_before_the_start_are_409(world):
    ash = world.player()
    game = ash.make_game()["id"]

    for query in ({}, {"at": 1}, {"at": "2999-01-01T00:00:00Z"}):
        assert "not-started" == ash.get(f"/v1/games/{game}/view", want=409, **query).code


def test_a_view_of_the_past_has_the_seq_that_its_reader_had_then(table):
    _, game, ash, birk = table
    before = birk.view(game)["seq"]
    ash.send(game, {"type": "hide", "pennies": 100}, want=409)

    refused = birk.get(f"/v1/games/{game}/view", at=before + 1, want=200)
    assert (before, f'"{before + 1}-{RELEASE}"') == (refused.json["seq"], refused.headers["ETag"])
