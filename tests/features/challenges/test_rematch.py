"""A rematch has the same settings, and each player gets the next seat."""

from __future__ import annotations

import orjson
import pytest

from domain.kernel.dice import Dice
from service.store.ports.titles import default_title
from tests.core.http.problem import is_a_problem
from tests.driver import play_out
from tests.features.challenges.test_challenges import accept, at_once, listed


@pytest.fixture
def over(world):
    """A finished game, and its players."""
    told = {"pace": {"mode": "per_question", "hours": 5}, "title": "Friday", "tags": ["fast"]}
    game, *players = world.table("Ash", "Birk", "Cyra", **told)
    play_out(players, game, Dice(b"x" * 32))
    return game, *players


def ask(player, game, want=None, **told):
    return player.post(f"/v1/games/{game}/rematch", told, want=want)


def test_rematch_rotates_the_seats_and_keeps_the_settings(over):
    game, ash, birk, cyra = over
    old = ash.summary(game)
    made = ask(birk, game, 201, entropy="be").json
    new = made["game"]

    same = ("kind", "ruleset", "options", "modules", "pace", "table", "visibility", "tags")
    assert default_title(new["id"]) == new["title"]
    assert [old[name] for name in same] == [new[name] for name in same]
    assert ([3], True, "be") == (new["your_seats"], new["auto_start"], new["seats"][2]["entropy"])
    assert [cyra.id, ash.id] == [seat["reservation"]["player"]["id"] for seat in new["seats"][:2]]
    assert 1 == accept(cyra, new["id"]).json["seat"]
    assert 2 == accept(ash, new["id"]).json["seat"]
    assert "running" == ash.summary(new["id"])["status"]


def test_second_request_returns_the_existing_rematch(over):
    game, ash, birk, _ = over
    made = ask(ash, game, 201).json["game"]["id"]

    same = ask(birk, game, 200).json
    assert (made, True) == (same["game"]["id"], same["received"])
    assert 1 == len(listed(birk))
    ash.call("DELETE", f"/v1/games/{made}", want=204)
    again = ask(birk, game, 201).json["game"]["id"]
    assert made != again == ask(ash, game, 200).json["game"]["id"]


def test_players_who_ask_at_once_get_the_same_rematch(over):
    game, *players = over

    answers = at_once(lambda player: ask(player, game), players * 3)
    assert [*[200] * 8, 201] == sorted(each.status for each in answers)
    assert 1 == len({each.json["game"]["id"] for each in answers})


def test_rematch_of_an_older_game_has_the_settings_that_it_lacks(world, over):
    game, ash, *_ = over
    key = world.store.keys.game(game).meta
    frozen = orjson.loads(world.store.wire.one("HGET", key, "lobby"))
    missing = frozen["table"].pop("missed_limit")
    world.store.wire.one("HSET", key, "lobby", orjson.dumps(frozen))

    assert missing == ask(ash, game, 201).json["game"]["table"]["missed_limit"]


def test_bots_play_again_and_the_rematch_starts_at_once(world):
    ash = world.player("Ash")
    game = ash.make_game()["id"]
    ash.seat_bot(game)
    ash.start(game)
    play_out([ash], game, Dice(b"x" * 32))

    new = ask(ash, game, 201).json["game"]
    assert ("running", ["random", None]) == (new["status"], [seat["bot"] for seat in new["seats"]])


def test_rematch_that_is_not_possible_gets_a_problem(world, over):
    game, ash, birk, cyra = over
    is_a_problem(ask(world.player(), game), 403, "not-your-seat")
    is_a_problem(ask(ash, "gnone"), 404, "unknown-game")
    running, *pair = world.table()
    is_a_problem(ask(pair[0], running), 409, "game-not-over")
    is_a_problem(ask(ash, ash.make_game()["id"]), 409, "not-started")
    sandbox = ash.make_game(sandbox={})["id"]
    ash.seat_bot(sandbox)
    ash.start(sandbox)
    is_a_problem(ask(ash, sandbox), 409, "feature-disabled")
    birk.call("PUT", f"/v1/me/blocks/{ash.id}", {}, want=200)
    is_a_problem(ask(ash, game), 409, "not-challengeable")
    cyra.call("DELETE", "/v1/me", {"name": "Cyra"}, want=204)
    is_a_problem(ask(ash, game), 409, "not-challengeable")


def test_players_who_cannot_be_found_get_rematches(over):
    game, ash, birk, _ = over
    birk.call("PUT", "/v1/me/discovery", {"findable": False}, want=200)

    assert 201 == ask(ash, game).status
    assert 1 == len(listed(birk))


def test_player_who_declined_a_private_rematch_cannot_ask_for_it(world):
    game, ash, birk = world.table("Ash", "Birk", visibility="private")
    play_out([ash, birk], game, Dice(b"x" * 32))
    made = ask(ash, game, 201).json["game"]["id"]
    birk.call("DELETE", f"/v1/me/challenges/{made}", want=204)

    is_a_problem(ask(birk, game), 404, "unknown-challenge")
