"""Players are found by the beginning of their names, unless they do not want to be."""

from __future__ import annotations

import pytest

from service.store.redis import keys
from tests.core.http.problem import is_a_problem


@pytest.fixture
def ash(world):
    return world.player("Ash")


def found(player, name):
    return [each["name"] for each in player.get("/v1/players", name=name, want=200).json["players"]]


def test_players_are_found_by_prefix_without_case_and_accents(world, ash):
    for name in ("Zoë", "Zoe Elder", "Azoe", "ZOEY"):
        world.player(name)

    assert ["Zoë", "Zoe Elder", "ZOEY"] == found(ash, "zoe") == found(ash, " ZOË ")
    assert ["Zoe Elder"] == found(ash, "zoe  e")
    assert [] == found(ash, "oe") == found(ash, "as")


def test_renamed_and_erased_players_are_not_found_by_their_old_names(world, ash):
    birk, cyra = world.player("Birk"), world.player("Cyra")
    birk.call("PATCH", "/v1/me", {"name": "Dana"}, want=200)
    cyra.call("DELETE", "/v1/me", {"name": "Cyra"}, want=204)

    assert ([], ["Dana"], []) == (found(ash, "bi"), found(ash, "da"), found(ash, "cy"))
    assert 2 == world.store.wire.one("ZCARD", keys.PLAYER_NAMES)


def test_entry_of_an_old_name_that_was_left_behind_is_ignored(world, ash):
    birk = world.player("Birk")
    world.store.wire.one("ZADD", keys.PLAYER_NAMES, 0, f"anna\0{birk.id}")

    assert ([], ["Birk"]) == (found(ash, "anna"), found(ash, "birk"))


def test_job_adds_the_names_of_older_accounts(world, ash):
    world.player("Birk")
    world.store.wire.one("DEL", keys.PLAYER_NAMES)

    assert [] == found(ash, "birk")
    assert (2, 0) == (world.store.accounts.index_names(), world.store.accounts.index_names())
    assert ["Birk"] == found(ash, "birk")


def test_player_chooses_whether_to_be_found(world, ash):
    birk = world.player("Birk")
    assert {"findable": True} == birk.get("/v1/me/discovery", want=200).json
    for findable in (False, True):
        assert {"findable": findable} == birk.call("PUT", "/v1/me/discovery", {"findable": findable}, want=200).json
        assert {"findable": findable} == birk.get("/v1/me/discovery", want=200).json
        assert ["Birk"] * findable == found(ash, "birk")


def test_many_names_are_cut_off(world, ash):
    for number in range(22):
        world.player(f"Bot{'abcdefghijklmnopqrstuvwxyz'[number]} X")

    assert 20 == len(found(ash, "bo"))


@pytest.mark.parametrize("name", ["", "a", " a ", "x" * 41, "as\0"])
def test_search_for_a_bad_name_gets_a_problem(ash, name):
    assert "name" == is_a_problem(ash.get("/v1/players", name=name), 422, "invalid")["parameter"]


def test_search_needs_a_token(world):
    is_a_problem(world.public.get("/v1/players", name="ash"), 401, "no-token")
    is_a_problem(world.public.get("/v1/me/challenges"), 401, "no-token")
    is_a_problem(world.public.post("/v1/challenges", {}), 401, "no-token")
