"""The rating lists: added in any order, by killed and competing jobs, and read over HTTP."""

from __future__ import annotations

import random

import pytest

from domain.kernel.terms import DAY
from service.core.accounts.ratings import find_ratings
from service.features import FEATURES
from service.features.archive.mover import move
from service.features.profiles import storage as profiles
from service.features.profiles.results import PlayedGame, PlayedResult
from service.features.ratings import storage
from service.features.ratings.computation import compute
from service.features.ratings.follower import note_finished
from service.features.ratings.jobs import add_pending
from service.features.ratings.publication import log_published, publish_day
from service.features.ratings.storage import add_games
from service.store.redis.store import open_store
from tests.core.http.conftest import World
from tests.features.ratings import rated
from tests.features.ratings.test_clauses import game_of
from tests.store.pump import SIGNER

NAME = "nim:2:players"


def many(count):
    """Games of five players, some with more than ten between the same two, and some with the same end."""
    luck = random.Random(count)
    games = []
    for number in range(count):
        one, two = luck.sample(["p1", "p2", "p3", "p4"], 2) if number % 3 else ("p1", "p2")
        games.append(game_of(number, one, two, ended=DAY * (number // 2), places=luck.choice([(1, 2), (2, 1), (1, 1)])))
    return games


def stored(store):
    return {
        "ratings": storage.all_ratings(store, NAME),
        "games": [(each.rated, each.change) for each in storage.every_game(store, NAME)],
        "ranked": [each.name for each in storage.ranked(store, NAME, 0, 99)[0]],
        "histories": {who: storage.history(store, NAME, who) for who in ("p1", "p2", "p3", "p4")},
    }


def expected(games):
    made, effects = compute(games)
    ranked = sorted(made.ratings, key=lambda who: (made.ratings[who].value, who), reverse=True)
    return made.ratings, [(game, change) for game, change in effects], ranked


@pytest.mark.parametrize("seed", range(4))
def test_lists_do_not_depend_on_the_order_of_arrival(redis_store, seed):
    games = many(60)
    shuffled = random.Random(seed).sample(games, len(games)) if seed else games
    for first in range(0, 60, 7):
        assert add_games(redis_store, NAME, shuffled[first : first + 7])

    found = stored(redis_store)
    ratings, effects, ranked = expected(games)
    assert ratings == found["ratings"]
    assert effects == found["games"]
    assert ranked == found["ranked"]
    assert any(change.clause == "RAT-11" for _, change in effects)
    for who, points in found["histories"].items():
        counted = [change.after[who] for _, change in effects if who in change.after]
        assert counted == [each.rating for each in points]


def test_adding_games_again_changes_nothing(redis_store):
    games = many(12)
    assert add_games(redis_store, NAME, games)
    before = stored(redis_store)

    assert add_games(redis_store, NAME, games[3:9])
    assert before == stored(redis_store)


def test_a_player_whose_only_game_no_longer_counts_leaves_the_list(redis_store):
    games = [game_of(1, "p1", "p2", "p3", places=(1, 2, 3))]
    assert add_games(redis_store, "nim:3:players", games)
    ten = [game_of(-number - 1, "p1", "p2", "p4", places=(1, 2, 3)) for number in range(10)]
    assert add_games(redis_store, "nim:3:players", ten)

    assert {"p1", "p2", "p4"} == storage.all_ratings(redis_store, "nim:3:players").keys()
    assert [] == storage.lists_of(redis_store, "p3")
    assert [] == storage.history(redis_store, "nim:3:players", "p3")
    assert ["p1", "p2", "p4"] == [each.name for each in storage.ranked(redis_store, "nim:3:players", 0, 9)[0]]


def test_a_job_that_another_one_overtakes_writes_nothing(redis_store, monkeypatch):
    games = many(2)
    compute_changes = storage._writes

    def overtaken(*told):
        monkeypatch.setattr(storage, "_writes", compute_changes)
        assert add_games(redis_store, NAME, games[1:])
        return compute_changes(*told)

    monkeypatch.setattr(storage, "_writes", overtaken)
    assert not add_games(redis_store, NAME, games[:1])
    assert [games[1]] == [each.rated for each in storage.every_game(redis_store, NAME)]


def test_a_game_that_cannot_be_read_does_not_stop_others(world, monkeypatch):
    ash, birk = world.player(), world.player()
    note_finished(world.store, "no-such-game")
    running = rated.start(ash, birk, kind="nim")
    note_finished(world.store, running)
    over = rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)

    assert 1 == add_pending(world.store)
    assert [running] == storage.pending(world.store, 10)
    assert over == storage.every_game(world.store, NAME)[0].rated.result.game
    rated.finish(running, ash, birk)
    assert 1 == add_pending(world.store)
    assert [] == storage.pending(world.store, 10)


def test_a_follower_notes_a_finished_game_once(world):
    ash, birk = world.player(), world.player()
    game = rated.start(ash, birk, kind="nim")
    assert [] == storage.pending(world.store, 10)
    rated.finish(game, ash, birk)
    assert [game] == storage.pending(world.store, 10)
    add_pending(world.store)

    world.worker._followers.rebuild()
    assert [] == storage.pending(world.store, 10)


def test_other_features_find_ratings_through_the_core(world):
    ash, birk = world.player(), world.player()
    assert {} == find_ratings(FEATURES, world.store, "nim", 2, [ash.id])
    game = rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)
    add_pending(world.store)

    found = find_ratings(FEATURES, world.store, "nim", 2, [ash.id, "nobody"])
    assert [ash.id] == list(found)
    assert rated.places(ash, game)[1] == (1 if found[ash.id].mu > 25 else 2)
    assert {} == find_ratings((), world.store, "nim", 2, [ash.id])


def test_lists_games_and_players_are_read_over_http(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    game = rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)
    with_bot = rated.finish(rated.start(ash, bots=("greedy",)), ash)
    missing = ash.get(f"/v1/games/{game}/rating", want=404)
    assert "not-found" == missing.code
    add_pending(world.store)

    lists = world.public.get("/v1/ratings", want=200).json["lists"]
    assert [("nim:2:players", 2, 1), ("pennies:2:bots", 2, 1)] == [
        (each["list"], each["players"], each["games"]) for each in lists
    ]
    first = world.public.get("/v1/ratings/nim:2:players?limit=1", want=200)
    second = world.public.get(first.headers["Link"].partition(">")[0].lstrip("<"), want=200).json
    ranked = [*first.json["ratings"], *second["ratings"]]
    assert [1, 2] == [each["rank"] for each in ranked]
    assert {"Ash", "Birk"} == {each["player"]["name"] for each in ranked}
    assert (2, None) == (second["total"], second["next"])
    assert ranked[0]["rating"] > ranked[1]["rating"]

    effect = world.public.get(f"/v1/games/{game}/rating", want=200).json
    winner = next(each for each in effect["results"] if each["place"] == 1)
    assert ranked[0]["player"] == winner["player"]
    assert {name: ranked[0][name] for name in ("rating", "mu", "sigma", "games")} == winner["after"]
    bots = world.public.get(f"/v1/games/{with_bot}/rating", want=200).json
    assert {"id": None, "name": "greedy", "bot": "greedy"} == bots["results"][1]["player"]

    told = world.public.get(f"/v1/players/{ash.id}/ratings", want=200).json["ratings"]
    assert ["nim:2:players", "pennies:2:bots"] == [each["list"] for each in told]
    assert [game] == [each["game"] for each in told[0]["history"]]
    for path in ("/v1/ratings/nim:9:players", "/v1/ratings/nonsense", "/v1/players/nobody/ratings"):
        world.public.get(path, want=404)
    assert "cursor" in world.public.get("/v1/ratings/nim:2:players?cursor=x", want=422).json["detail"]


def test_a_private_game_tells_a_stranger_nothing(world):
    ash, birk = world.player(), world.player()
    made = ash.make_game("nim", 2, visibility="private")
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])

    assert "unknown-game" == world.player().get(f"/v1/games/{made['id']}/rating", want=404).code


def test_an_erased_player_stays_in_the_list_without_a_name(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)
    add_pending(world.store)
    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    names = {each["player"]["name"] for each in world.public.get(f"/v1/ratings/{NAME}", want=200).json["ratings"]}
    assert {"", "Birk"} == names


def test_a_long_history_is_shortened_to_its_ends(redis_store):
    games = [game_of(number, "p1", f"q{number}", ended=number * DAY) for number in range(250)]
    assert add_games(redis_store, NAME, games)

    points = storage.history(redis_store, NAME, "p1")
    assert storage.MOST_POINTS == len(points)
    assert (0, 249 * DAY) == (points[0].at, points[-1].at)
    assert [each.at for each in points] == sorted(each.at for each in points)


def test_a_challenge_can_be_rated_only_in_public(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    body = {"kind": "nim", "games": [{"seats": [{"player": ash.id}, {"player": birk.id}]}], "table": rated.RATED}

    refused = ash.post("/v1/challenges", {**body, "visibility": "private"}, want=422).json
    assert ["/table/rated"] == [each["pointer"] for each in refused["errors"]]
    ash.post("/v1/challenges", {**body, "visibility": "public"}, want=201)


def test_a_game_that_was_archived_first_is_rated(redis_url, tmp_path):
    world = World(open_store(redis_url, f"file://{tmp_path}/archive"))
    ash, birk = world.player(), world.player()
    game = rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)
    assert "moved" == move(world.store, game).word
    assert world.store.archive.content(game)

    assert 1 == add_pending(world.store)
    assert {ash.id, birk.id} == storage.all_ratings(world.store, NAME).keys()
    world.store.close()


def test_lists_and_profiles_work_on_a_cluster(cluster_store):
    games = many(30)
    assert add_games(cluster_store, NAME, games[10:])
    assert add_games(cluster_store, NAME, games[:10])
    assert compute(games)[0].ratings == storage.all_ratings(cluster_store, NAME)
    assert publish_day(cluster_store).games == 30
    assert 1 == log_published(cluster_store, SIGNER, "https://games.example.org")

    for _ in range(2):
        played = PlayedGame("g1", "nim", 2, 1, PlayedResult.WON, 7, {"p2": PlayedResult.LOST})
        profiles.add_game(cluster_store, "p1", played)
    assert [("p2", 1, 0, 0)] == [
        (each.opponent, each.won, each.lost, each.even) for each in profiles.list_opponents(cluster_store, "p1", 5)
    ]
    profiles.erase_profile(cluster_store, "p1")
    assert 0 == profiles.count_games(cluster_store, "p1")
