"""Favorite players and games, which only their owner sees."""

from __future__ import annotations

import pytest

from service.features.favorites import storage
from service.store.ports.side_data import NO_GAME
from tests.core.http.problem import is_a_problem

ROOT = "/v1/me/favorites"


@pytest.fixture
def people(world):
    return [world.player(name) for name in ("Ash", "Birk", "Cyra")]


def add(player, kind, id_, want=200):
    return player.call("PUT", f"{ROOT}/{kind}/{id_}", {}, want=want)


def names(player):
    return [each["player"]["name"] for each in player.get(f"{ROOT}/players", want=200).json["players"]]


def games(player):
    return [each["id"] for each in player.get(f"{ROOT}/games", want=200).json["games"]]


def test_players_are_added_listed_and_removed(people):
    ash, birk, cyra = people
    made = add(ash, "players", birk.id).json
    add(ash, "players", cyra.id)

    assert {"id": birk.id, "name": "Birk"} == made["player"]
    assert made == add(ash, "players", birk.id).json, "the first time is kept"
    assert ({"Birk", "Cyra"}, []) == ({*names(ash)}, names(birk))
    ash.call("DELETE", f"{ROOT}/players/{birk.id}", want=204)
    assert ["Cyra"] == names(ash)
    is_a_problem(ash.call("DELETE", f"{ROOT}/players/{birk.id}"), 404, "unknown-favorite")


def test_games_are_listed_with_their_progress(world, people):
    _, _, cyra = people
    game, *_ = world.table()
    lobby = people[0].make_game()["id"]
    assert game == add(cyra, "games", game).json["game"]
    add(cyra, "games", lobby)

    listed = cyra.get(f"{ROOT}/games", want=200).json["games"]
    assert {game: ("running", 1), lobby: ("lobby", 0)} == {each["id"]: (each["status"], each["seq"]) for each in listed}
    cyra.call("DELETE", f"{ROOT}/games/{game}", want=204)
    people[0].call("DELETE", f"/v1/games/{lobby}", want=204)
    assert [] == games(cyra)


def test_games_in_lists_show_whether_they_are_favorites(world, people):
    ash, _, cyra = people
    game, other = (ash.make_game()["id"] for _ in range(2))
    add(cyra, "games", game)

    def marked(player):
        listed = player.get("/v1/games", want=200).json["games"]
        return {each["id"]: each["favorite"] for each in [*listed, player.summary(game)]}

    assert {game: True, other: False} == marked(cyra)
    assert {game: False, other: False} == marked(ash) == marked(world.public)
    assert [True] == [each["favorite"] for each in cyra.get(f"{ROOT}/games", want=200).json["games"]]


def test_private_game_is_a_favorite_only_while_it_is_visible(people):
    ash, birk, cyra = people
    made = ash.make_game(visibility="private")
    seat = birk.join(made["id"], made["invitation"])
    for player in (ash, birk):
        add(player, "games", made["id"])
    is_a_problem(add(cyra, "games", made["id"], None), 404, "unknown-game")

    assert [made["id"]] == games(birk)
    birk.call("DELETE", f"/v1/games/{made['id']}/seats/{seat}", want=204)
    assert ([], [made["id"]]) == (games(birk), games(ash))


def test_wrong_favorites_get_a_problem(world, people):
    ash, birk, _ = people
    is_a_problem(add(ash, "players", ash.id, None), 404, "unknown-player")
    is_a_problem(add(ash, "players", "p0", None), 404, "unknown-player")
    is_a_problem(add(ash, "games", "gnone", None), 404, "unknown-game")
    is_a_problem(ash.call("DELETE", ROOT + "/games/gnone"), 404, "unknown-favorite")
    assert "/x" == is_a_problem(ash.call("PUT", f"{ROOT}/players/{birk.id}", {"x": 1}), 422, "invalid")["pointer"]
    for kind in ("players", "games"):
        is_a_problem(world.public.get(f"{ROOT}/{kind}"), 401, "no-token")


def test_number_of_favorites_is_limited(monkeypatch, people):
    monkeypatch.setattr(storage, "MOST", 1)
    ash, birk, cyra = people
    add(ash, "players", birk.id)

    is_a_problem(add(ash, "players", cyra.id, None), 429, "too-many-favorites")
    add(ash, "players", birk.id)


def test_erased_accounts_are_no_favorites_and_have_none(world, people):
    ash, birk, _ = people
    add(ash, "players", birk.id)
    add(birk, "players", ash.id)
    birk.call("DELETE", "/v1/me", {"name": "Birk"}, want=204)

    assert [] == names(ash)
    assert {} == world.store.notes.all(NO_GAME, storage.PLAYERS + birk.id)
