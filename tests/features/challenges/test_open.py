"""Open challenges: public games with a seat that the reader can take, and filters on the game and its creator."""

from __future__ import annotations

import pytest

from service.features.challenges import open_api
from service.features.ratings.storage import add_games
from service.store.ports.accounts import Suspension
from tests.core.http.problem import is_a_problem
from tests.features.challenges.test_challenges import challenge
from tests.features.ratings.test_clauses import game_of

HOURS = {"mode": "per_question", "hours": 24}


@pytest.fixture
def people(world):
    return [world.player(name) for name in ("Ash", "Birk", "Cyra")]


def found(player, **filters):
    """The games of all pages."""
    games, path = [], "/v1/challenges"
    while path:
        answer = player.get(path, want=200, **filters)
        games += [each["id"] for each in answer.json["games"]]
        path, filters = answer.headers.get("Link", "").partition(">")[0].lstrip("<"), {}
    return games


def test_only_public_games_with_a_free_seat_are_listed(world, people):
    ash, birk, cyra = people
    free = ash.make_game()["id"]
    ash.make_game(visibility="unlisted")
    full = ash.make_game()["id"]
    ash.seat_bot(full)
    world.table()
    reserved = challenge(ash, (ash, birk), visibility="public").json["challenges"][0]["game"]["id"]

    assert [free] == found(world.public) == found(cyra) == found(birk)
    assert [] == found(ash)
    birk.call("DELETE", f"/v1/me/challenges/{reserved}", want=204)
    assert {free, reserved} == {*found(cyra)}


def test_games_that_do_not_admit_the_reader_are_left_out(world, people):
    ash, birk, cyra = people
    game = ash.make_game(table={"min_reliability": 60})["id"]
    miss_turns(world, birk)
    ash.call("PUT", f"/v1/me/blocks/{cyra.id}", {}, want=200)

    assert [game] == found(world.public) == found(world.player())
    assert [] == found(birk) == found(cyra)


def miss_turns(world, player):
    """Half of the player's turns were missed."""
    game = world.table()[0]
    world.store.wire.one("HSET", world.store.keys.game(game).meta, f"turns {player.id}", "1 10")
    world.store.wire.one("ZADD", f"player:{{{player.id}}}:games", 1, game)


def test_games_of_suspended_players_are_left_out(world, people):
    ash, birk, _ = people
    game = ash.make_game()["id"]
    birk.make_game()
    world.store.accounts.suspend(birk.id, Suspension("spam", 1, None))

    assert [game] == found(world.public)


def test_games_are_filtered_by_kind_module_and_pace(people):
    ash, birk, _ = people
    plain, timed = ash.make_game()["id"], ash.make_game(pace=HOURS)["id"]
    battle = ash.make_game("battalia", 2, modules=["rammoth"])["id"]

    assert [battle, timed, plain] == found(birk)
    assert ([battle], [battle]) == (found(birk, kind="battalia"), found(birk, module="rammoth"))
    assert ([timed], [battle, plain]) == (found(birk, pace="per_question"), found(birk, pace="free"))
    assert [] == found(birk, kind="pennies", module="rammoth") == found(birk, pace="calendar")


def test_games_are_filtered_by_the_reliability_of_the_creator(world, people):
    ash, birk, cyra = people
    games = [each.make_game()["id"] for each in (ash, birk)]
    miss_turns(world, birk)

    assert {*games} == {*found(cyra)} == {*found(cyra, min_reliability=50)}
    assert games[:1] == found(cyra, min_reliability=51)


def test_games_are_filtered_by_the_rating_of_the_creator(world, people):
    ash, birk, cyra = people
    won = [game_of(number, ash.id, birk.id, ended=number) for number in range(6)]
    assert add_games(world.store, "pennies:2:players", won)
    one, two = (each.make_game()["id"] for each in (ash, birk))
    three = ash.make_game(seats=3)["id"]

    assert {one, two, three} == {*found(cyra)}
    assert [one] == found(cyra, min_rating=5)
    assert [two] == found(cyra, max_rating=5)
    assert {one, two} == {*found(cyra, max_rating=1000)}


def test_last_page_has_no_cursor_even_if_it_is_full(people):
    ash, birk, _ = people
    for _ in range(3):
        ash.make_game()

    for limit, is_last in ((2, False), (3, True), (4, True)):
        answer = birk.get("/v1/challenges", limit=limit, want=200)
        assert (is_last, is_last) == (answer.json["next"] is None, "Link" not in answer.headers)


def test_pages_have_all_games_once_even_if_few_match(monkeypatch, people):
    monkeypatch.setattr(open_api, "MOST_READ", 4)
    monkeypatch.setattr(open_api, "BATCH", 2)
    ash, birk, _ = people
    games = [ash.make_game(pace=HOURS if number % 3 == 0 else {"mode": "free"})["id"] for number in range(10)]

    assert games[::-1] == found(birk) == found(birk, limit=1) == found(birk, limit=3)
    assert games[::-3] == found(birk, pace="per_question") == found(birk, pace="per_question", limit=1)
    first = birk.get("/v1/challenges", limit=10, want=200)
    assert 4 == len(first.json["games"]) and first.json["next"] in first.headers["Link"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "chess"),
        ("module", "dragons"),
        ("pace", "fast"),
        ("min_reliability", "101"),
        ("min_rating", "-1"),
        ("max_rating", "x"),
        ("cursor", "!"),
        ("cursor", "x" * 200),
        ("limit", "0"),
        ("seat", "1"),
    ],
)
def test_wrong_filter_gets_a_problem(world, name, value):
    assert name == is_a_problem(world.public.get("/v1/challenges", **{name: value}), 422, "invalid")["parameter"]


def test_empty_range_of_ratings_gets_a_problem(world):
    answer = world.public.get("/v1/challenges", min_rating=9, max_rating=8)
    assert "max_rating" == is_a_problem(answer, 422, "invalid")["parameter"]
