"""Players are found by the beginning of their names, unless they do not want to be."""

from __future__ import annotations

import pytest

from domain.kernel.dice import Dice
from service.store.redis import keys
from tests.core.http.problem import is_a_problem
from tests.driver import play_out


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


def search(player, url):
    """The players of a page, and the URL of the next one."""
    answer = player.get(url, want=200)
    link = answer.headers.get("Link")
    assert (link is None) == (answer.json["next"] is None)
    return [each["id"] for each in answer.json["players"]], link and link.partition(">")[0][1:]


def search_all(player, name):
    """All pages of a search."""
    url, pages = f"/v1/players?name={name}", []
    while url is not None:
        page, url = search(player, url)
        pages.append(page)
    return pages


def test_everyone_of_many_with_the_same_name_can_be_reached(world, ash):
    everyone = [world.player("Birk Elm").id for _ in range(45)]

    pages = search_all(ash, "birk")
    assert [20, 20, 5] == [len(page) for page in pages]
    assert sorted(everyone) == sorted(each for page in pages for each in page)


def test_exact_names_favorites_and_opponents_come_first(world, ash):
    copies = [world.player("Birk") for _ in range(25)]
    longer = [world.player(f"Birk {letter}") for letter in "abcdef"]
    favorites = [max(copies, key=lambda each: each.id), longer[-1]]
    for each in favorites:
        ash.call("PUT", f"/v1/me/favorites/players/{each.id}", {}, want=200)

    first, *others = search_all(ash, "BIRK")
    assert (favorites[0].id, favorites[1].id) == (first[0], first[-1])
    assert 20 == len(first)
    everyone = [*first, *(each for page in others for each in page)]
    assert sorted(each.id for each in [*copies, *longer]) == sorted(everyone)


def test_recent_opponents_come_before_others(world):
    game, dora, *players = world.table("Dora", "Birk z", visibility="public")
    play_out([dora, *players], game, Dice(b"x" * 32))
    world.player("Birk a")

    assert ["Birk z", "Birk a"] == found(dora, "birk")


def test_search_with_a_bad_cursor_gets_a_problem(world, ash):
    for _ in range(21):
        world.player("Birk")
    cursor = ash.get("/v1/players", name="birk", want=200).json["next"]

    for name, bad in (("birk", "a"), ("birk", "ä"), ("birk", ""), ("birk", "Ymlyaw=="), ("dora", cursor)):
        assert "cursor" == is_a_problem(ash.get("/v1/players", name=name, cursor=bad), 422, "invalid")["parameter"]


@pytest.mark.parametrize("name", ["", "a", " a ", "x" * 41, "as\0"])
def test_search_for_a_bad_name_gets_a_problem(ash, name):
    assert "name" == is_a_problem(ash.get("/v1/players", name=name), 422, "invalid")["parameter"]


def test_search_needs_a_token(world):
    is_a_problem(world.public.get("/v1/players", name="ash"), 401, "no-token")
    is_a_problem(world.public.get("/v1/me/challenges"), 401, "no-token")
    is_a_problem(world.public.post("/v1/challenges", {}), 401, "no-token")
