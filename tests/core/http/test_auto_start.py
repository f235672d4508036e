"""With `auto_start`, a game starts when its last seat is taken."""

from __future__ import annotations

import pytest

from service.core.game_start import LEFT, start_full
from service.ops.settings import Settings
from service.store.ports.outbox import Subscription
from tests.clock import StoreClock
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem

HIDE = {"type": "hide", "pennies": 1}


def test_game_with_auto_start_starts_when_the_last_seat_is_taken(world):
    ash, birk, cyd = (world.player(name) for name in ("Ash", "Birk", "Cyd"))
    made = ash.make_game(seats=3, auto_start=True)
    assert made["auto_start"]

    birk.join(made["id"], made["invitation"])
    assert "lobby" == ash.summary(made["id"])["status"]
    cyd.join(made["id"], made["invitation"])

    assert "running" == ash.summary(made["id"])["status"]
    cyd.send(made["id"], HIDE, want=200)


def test_game_without_auto_start_waits_for_its_creator(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game()
    birk.join(made["id"], made["invitation"])

    assert (False, "lobby") == (made["auto_start"], ash.summary(made["id"])["status"])


def test_game_with_auto_start_starts_when_its_creator_seats_the_last_bot(world):
    ash = world.player("Ash")
    game = ash.make_game(auto_start=True)["id"]
    ash.seat_bot(game)

    assert "running" == ash.summary(game)["status"]


def test_game_with_auto_start_waits_while_its_creator_has_too_many_running_games():
    world = World(running_games=1)
    ash, birk = world.player("Ash"), world.player("Birk")
    games = [ash.make_game(auto_start=True) for _ in range(2)]
    for made in games:
        birk.join(made["id"], made["invitation"])

    assert ["running", "lobby"] == [ash.summary(made["id"])["status"] for made in games]


def seated_behind_the_api(world, **told):
    """A game whose last seat was taken by a process that was killed before it could start the game."""
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game(seats=2, visibility="public", **told)
    world.store.lobbies.join(made["id"], birk.get("/v1/me").json["id"], "", None)
    return ash, birk, made["id"]


def test_sweep_starts_a_full_game_that_its_api_process_left_unstarted(monkeypatch):
    clock, world = StoreClock(monkeypatch), World()
    ash, birk, game = seated_behind_the_api(world, auto_start=True)
    hook = Subscription("s1", "notes", birk.get("/v1/me").json["id"], None, 1, {})
    world.store.subscriptions.add(hook, 0)
    assert [] == start_full(world.store, Settings()), "its process may be about to start it"

    clock.forward(LEFT + 1000)
    assert [game] == start_full(world.store, Settings())
    assert [] == start_full(world.store, Settings())
    world.work(game)

    assert "running" == ash.summary(game)["status"]
    birk.send(game, HIDE, want=200)
    owed = [each.game_id for each in world.store.outbox.claim(range(256), 10, 1000)]
    assert [game] == owed, "subscriptions of the players are told of it"


def test_sweep_leaves_full_games_to_creators_who_start_them(monkeypatch):
    clock, world = StoreClock(monkeypatch), World()
    _, _, game = seated_behind_the_api(world)
    clock.forward(LEFT + 1000)

    assert [] == start_full(world.store, Settings())
    assert "lobby" == world.store.lobbies.get(game).status


def test_sweep_starts_no_more_games_than_the_creator_may_have_running(monkeypatch):
    clock, world = StoreClock(monkeypatch), World(running_games=1)
    ash, birk, game = seated_behind_the_api(world, auto_start=True)
    other = ash.make_game(seats=2, visibility="public", auto_start=True)["id"]
    birk.join(other)
    assert "running" == ash.summary(other)["status"]
    clock.forward(LEFT + 1000)

    assert [] == start_full(world.store, Settings(running_games=1))
    assert "lobby" == ash.summary(game)["status"]
    for player in (ash, birk):
        player.send(other, {"type": "resign"}, want=200)
    assert "over" == ash.summary(other)["status"]
    clock.forward(120_000)
    assert [game] == start_full(world.store, Settings(running_games=1))


@pytest.mark.parametrize("value", ["yes", 1, None, []])
def test_auto_start_is_true_or_false(world, value):
    answer = world.player("Ash").post("/v1/games", {"kind": "pennies", "seats": 2, "auto_start": value})

    assert "/auto_start" == is_a_problem(answer, 422, "invalid")["pointer"]
