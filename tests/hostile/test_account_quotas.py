"""Daily and concurrent limits of one account: games, bot games, and data sent to sandboxes."""

from __future__ import annotations

import pytest

from service.features.cleanup.jobs import DAY, expire
from service.ops.doctor.largest import largest
from tests.core.http.conftest import World

SANDBOX = {"sandbox": {}, "seats": 2}


def bot_game(player, **fields):
    """Create a bots-only game that is ready to start; return its id."""
    game = player.make_game(**fields)["id"]
    player.call("DELETE", f"/v1/games/{game}/seats/1", want=204)
    for _ in range(2):
        player.post(f"/v1/games/{game}/seats", {"bot": "greedy"}, want=201)
    return game


def start(player, game, want=None):
    return player.post(f"/v1/games/{game}/start", {}, want=want)


def test_number_of_games_per_account_and_day_is_limited(redis_store):
    world = World(redis_store, games_day=3, lobbies=0)
    ash, birk = world.player(), world.player()
    for _ in range(3):
        ash.make_game()

    refused = ash.post("/v1/games", {"kind": "pennies", "seats": 2}, want=429)

    assert "too-many-games" == refused.code
    assert int(refused.headers["Retry-After"]) > 3600
    birk.make_game()


def test_game_refused_by_the_daily_limit_does_not_count_as_open_lobby(redis_store):
    world = World(redis_store, games_day=2, lobbies=5)
    ash = world.player()
    for _ in range(2):
        ash.make_game()
    for _ in range(9):
        assert "too-many-games" == ash.post("/v1/games", {"kind": "pennies", "seats": 2}, want=429).code


@pytest.mark.soak
def test_number_of_running_bot_games_per_account_is_limited(redis_store, monkeypatch):
    monkeypatch.setattr("service.core.game_start.NEW_GAME_SECONDS", -1)
    world = World(redis_store, running_bot_games=2)
    world.asleep = True
    ash, birk = world.player(), world.player()
    games = [bot_game(ash) for _ in range(3)]
    for game in games[:2]:
        start(ash, game)

    refused = start(ash, games[2])

    assert (429, "too-many-bot-games") == (refused.status, refused.code)
    assert "lobby" == ash.summary(games[2])["status"]
    start(birk, bot_game(birk))
    made = ash.make_game()
    birk.join(made["id"], made["invitation"])
    assert start(ash, made["id"]).status in (200, 202), "a game with people in it does not count"
    world.work(games[0])
    assert "over" == ash.summary(games[0])["status"]
    assert start(ash, games[2]).status in (200, 202)


def test_number_of_running_games_per_account_is_limited(redis_store):
    world = World(redis_store, running_games=1)
    ash, birk = world.player(), world.player()
    games = [ash.make_game() for _ in range(2)]
    for made in games:
        birk.join(made["id"], made["invitation"])
    start(ash, games[0]["id"], want=200)

    assert "too-many-running-games" == start(ash, games[1]["id"], want=429).code
    assert "seats-open" == start(birk, birk.make_game()["id"], want=409).code


def test_sandbox_data_per_account_and_day_is_limited(redis_store):
    world = World(redis_store, sandbox_mib_day=1)
    ash, birk = world.player(), world.player()
    game = ash.make_game(**SANDBOX)["id"]
    ash.join(game)
    ash.start(game)
    redis_store.accounts.allow(f"sandbox-kib:{ash.id}", 1024, 1024 / 86_400, 1021)

    codes = [ash.send(game, {"type": "hide", "pennies": 1}, seat=seat).status for seat in (1, 2)]

    assert [200, 429] == codes
    assert "too-much-sandbox-data" == ash.post("/v1/games", {"kind": "pennies", **SANDBOX}, want=429).code
    ash.make_game()
    birk.make_game(**SANDBOX)


def test_plan_counts_as_sandbox_data(redis_store):
    world = World(redis_store, sandbox_mib_day=1)
    ash = world.player()
    game = ash.make_game(kind="nim", **SANDBOX)["id"]
    ash.join(game)
    ash.start(game)
    seat = 3 - ash.summary(game)["pending_questions"][0]["seat"]
    plan = {"commands": [{"type": "take", "heap": 4, "objects": 1}] * 64, "if": "legal", "then": "wait"}
    redis_store.accounts.allow(f"sandbox-kib:{ash.id}", 1024, 1024 / 86_400, 900)

    answers = [ash.call("PUT", f"/v1/games/{game}/plan?seat={seat}", plan) for _ in range(2)]

    assert [200, 429] == [answer.status for answer in answers]
    assert "too-much-sandbox-data" == answers[1].code
    assert 200 == ash.call("PUT", f"/v1/games/{game}/plan?seat={seat}&dry_run=true", plan).status


@pytest.fixture
def finished(redis_store):
    """The service, a player, and their finished sandbox, public game and fork."""
    world = World(redis_store)
    ash, birk = world.player(), world.player()
    games = []
    for sandbox in (True, False):
        made = ash.make_game(**(SANDBOX if sandbox else {}))
        (ash if sandbox else birk).join(made["id"], made["invitation"])
        ash.start(made["id"])
        ash.send(made["id"], {"type": "resign"}, seat=1, want=200)
        if ash.summary(made["id"])["status"] != "over":
            (ash if sandbox else birk).send(made["id"], {"type": "resign"}, seat=2, want=200)
        games.append(made["id"])
    assert ["over", "over"] == [ash.summary(game)["status"] for game in games]
    return world, ash, *games


def keys_of(store, game):
    return [key for key in store.wire.scan("*") if game.encode() in key]


def test_finished_sandbox_expires_and_other_games_stay(finished, redis_store, monkeypatch):
    _, ash, sandbox, game = finished
    assert 0 == expire(redis_store, 1)
    now = redis_store.schedule.now()
    monkeypatch.setattr(redis_store.schedule, "now", lambda: now + DAY + 1)
    assert 0 == expire(redis_store, 0)

    assert 1 == expire(redis_store, 1)

    assert [] == keys_of(redis_store, sandbox)
    assert [game] == [each["id"] for each in ash.get("/v1/games", mine="true").json["games"]]
    assert [game] == [each["id"] for each in ash.get("/v1/games").json["games"]]
    elsewhere = World(redis_store)
    elsewhere.public.get(f"/v1/games/{sandbox}", want=404)
    elsewhere.public.get(f"/v1/games/{game}/view", want=200)
    assert 0 == expire(redis_store, 1)


def test_unfinished_sandbox_does_not_expire(redis_store):
    world = World(redis_store)
    ash = world.player()
    game = ash.make_game(**SANDBOX)["id"]
    ash.join(game)
    ash.start(game)

    assert not redis_store.lobbies.expire_sandbox(game)
    assert "running" == ash.summary(game)["status"]


def test_largest_games_and_accounts_are_listed(redis_store):
    world = World(redis_store)
    ash, birk = world.player(), world.player()
    small, big = birk.make_game()["id"], ash.make_game()["id"]
    redis_store.wire.one("HSET", redis_store.keys.game(big).meta, "filler", "x" * 3_000_000)

    games, accounts = largest(redis_store, [small, big])

    assert f"Largest games: {big} 2." in games and small not in games
    assert f"Accounts whose games take most: {ash.id} 2." in accounts and birk.id not in accounts
    assert [] == list(largest(redis_store, [small]))
