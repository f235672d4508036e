"""Profiles: results by kind and seat, head to head, and what players hide."""

from __future__ import annotations

import pytest

from domain.kernel.dice import Dice
from domain.kernel.lifecycle import GameEnded
from service.features.profiles import storage
from service.features.profiles.results import PlayedResult, compare, list_results
from service.store.ports.lobbies import Chair, FormerHolder, Seating
from tests.driver import play_out

WON, LOST, LEFT, ABORTED = PlayedResult


def played(*players, kind="nim", bots=(), visibility="public", **told):
    """A finished game of these players; returns its id."""
    made = players[0].make_game(kind, len(players) + len(bots), visibility=visibility, **told)
    for player in players[1:]:
        player.join(made["id"], made["invitation"])
    for bot in bots:
        players[0].seat_bot(made["id"], bot)
    players[0].start(made["id"])
    play_out(list(players), made["id"], Dice(b"profile"))
    return made["id"]


def profile(reader, player):
    return reader.get(f"/v1/players/{player.id}/profile", want=200).json


@pytest.fixture
def players(world):
    return world.player("Ash"), world.player("Birk"), world.player("Cleo")


def test_results_are_counted_by_kind_seat_and_result(world, players):
    ash, birk, cleo = players
    games = [played(ash, birk), played(ash, birk), played(birk, ash, cleo, kind="pennies")]

    found = profile(world.public, ash)
    assert (ash.id, "Ash", 3, []) == (found["id"], found["name"], found["games"], found["hidden"])
    assert [("nim", 2, 1, 2), ("pennies", 3, 2, 1)] == [
        (each["kind"], each["seats"], each["seat"], sum(each[name] for name in PlayedResult))
        for each in found["results"]
    ]
    for game, told in zip(reversed(games), found["recent"], strict=True):
        outcome = ash.summary(game)["outcome"]
        won = told["seat"] in outcome["winners"]
        assert (game, "won" if won else "lost") == (told["game"], told["result"])
    wins = sum(each["result"] == "won" for each in found["recent"])
    assert wins == sum(each["won"] for each in found["results"])
    assert {"Birk", "Cleo"} == {each["name"] for each in found["recent"][0]["opponents"]}


def test_head_to_head_of_two_players_is_the_opposite_for_the_other(world, players):
    ash, birk, _ = players
    for _ in range(3):
        played(ash, birk)

    (one,), (other,) = (profile(world.public, each)["opponents"] for each in (ash, birk))
    assert 3 == one["won"] + one["lost"]
    assert (one["won"], one["lost"]) == (other["lost"], other["won"])
    assert one == {**profile(birk, ash)["you"], "player": {"id": birk.id, "name": "Birk"}}
    assert profile(ash, ash)["you"] is None
    assert profile(world.public, ash)["you"] is None


@pytest.mark.parametrize("told", [{"visibility": "private"}, {"visibility": "unlisted"}, {"sandbox": {}}])
def test_games_that_are_not_public_are_in_no_profile(world, players, told):
    ash, birk, _ = players
    played(ash, birk, **told)

    found = profile(ash, ash)
    assert (0, [], [], []) == (found["games"], found["results"], found["recent"], found["opponents"])


def test_games_with_bots_count_without_an_opponent(world, players):
    ash, *_ = players
    played(ash, kind="pennies", bots=("greedy",))

    found = profile(world.public, ash)
    assert (1, []) == (found["games"], found["opponents"])
    assert [] == found["recent"][0]["opponents"]


def test_a_running_game_and_a_game_seen_twice_do_not_change_the_counts(world, players):
    ash, birk, _ = players
    game = ash.make_game("nim", 2)["id"]
    birk.join(game)
    ash.start(game)
    assert 0 == profile(world.public, ash)["games"]
    played(ash, birk)
    before = profile(world.public, ash)

    (recent,) = storage.newest_games(world.store, ash.id, 9)
    storage.add_game(world.store, ash.id, recent)
    world.worker._followers.rebuild()
    assert before == profile(world.public, ash)


def test_hidden_games_and_opponents_stay_hidden_from_others(world, players):
    ash, birk, cleo = players
    played(ash, birk)
    played(birk, cleo)
    ash.call("PUT", "/v1/me/profile", {"games": True, "opponents": True}, want=200)

    for reader in (world.public, cleo):
        found = profile(reader, ash)
        assert ["games", "opponents"] == found["hidden"]
        assert (None, [], [], []) == (found["games"], found["results"], found["recent"], found["opponents"])
        other = profile(reader, birk)
        assert [cleo.id] == [each["player"]["id"] for each in other["opponents"]]
        assert [[cleo.id]] == [[one["id"] for one in each["opponents"]] for each in other["recent"]]
    own = profile(ash, ash)
    assert (1, 1, 1) == (own["games"], len(own["recent"]), len(own["opponents"]))
    assert ash.id in [each["player"]["id"] for each in profile(ash, birk)["opponents"]]
    assert 2 == len(profile(ash, birk)["recent"]) == len(profile(birk, birk)["recent"])
    assert 1 == sum(profile(birk, ash)["you"][name] for name in ("won", "lost", "even"))


def test_games_that_a_player_hides_are_not_listed_by_player(world, players):
    ash, birk, cleo = players
    game = played(ash, birk)

    def listed(reader, player, **query):
        games = reader.get("/v1/games", player=player.id, **query, want=200).json["games"]
        return [each["id"] for each in games]

    assert [game] == listed(cleo, ash) == listed(world.public, ash)
    ash.call("PUT", "/v1/me/profile", {"games": True}, want=200)

    assert [] == listed(cleo, ash) == listed(world.public, ash)
    assert [game] == listed(ash, ash) == listed(birk, ash, mine="true") == listed(cleo, birk)
    ash.call("PUT", "/v1/me/profile", {"games": False, "opponents": True}, want=200)
    assert [game] == listed(cleo, ash)


def test_settings_are_read_written_and_reset(world, players):
    ash, *_ = players
    assert {"games": False, "opponents": False} == ash.get("/v1/me/profile", want=200).json
    ash.call("PUT", "/v1/me/profile", {"opponents": True}, want=200)
    assert {"games": False, "opponents": True} == ash.get("/v1/me/profile", want=200).json
    ash.call("PUT", "/v1/me/profile", {}, want=200)
    assert {"games": False, "opponents": False} == ash.get("/v1/me/profile", want=200).json
    for wrong in ({"games": 1}, {"rating": True}):
        refused = ash.call("PUT", "/v1/me/profile", wrong, want=422).json
        assert [f"/{next(iter(wrong))}"] == [each["pointer"] for each in refused["errors"]]


def test_an_erased_account_has_no_profile_and_no_name_in_others(world, players):
    ash, birk, _ = players
    played(ash, birk)
    ash.call("PUT", "/v1/me/profile", {"games": True}, want=200)
    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    world.public.get(f"/v1/players/{ash.id}/profile", want=404)
    found = profile(world.public, birk)
    assert [""] == [each["player"]["name"] for each in found["opponents"]]
    assert [] == storage.newest_games(world.store, ash.id, 9)
    assert not storage.find_hidden(world.store, [ash.id])[ash.id].games


def test_a_game_that_ends_after_an_account_was_erased_is_in_no_profile_of_it(world, players):
    ash, birk, _ = players
    game = ash.make_game("pennies", 2)["id"]
    birk.join(game)
    ash.start(game)
    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)
    play_out([birk], game, Dice(b"erased"))

    assert 0 == storage.count_games(world.store, ash.id)
    assert 1 == profile(world.public, birk)["games"]


def test_an_unknown_player_has_no_profile(world):
    assert "unknown-player" == world.public.get("/v1/players/nobody/profile", want=404).code


def test_a_player_who_left_is_counted_as_left(world, players):
    ash, birk, cleo = players
    made = ash.make_game("pennies", 2, options={"points": 9})["id"]
    birk.join(made)
    ash.start(made)
    birk.send(made, {"type": "resign"}, want=200)
    cleo.post(f"/v1/games/{made}/seats/2/take", {}, want=200)
    cleo.send(made, {"type": "resign"}, want=200)
    play_out([ash], made, Dice(b"left"))

    assert {"left": 1} == {name: n for name, n in profile(ash, birk)["results"][0].items() if n and name in RESULTS}
    assert {"left": 1} == {name: n for name, n in profile(ash, cleo)["results"][0].items() if n and name in RESULTS}


RESULTS = ("won", "lost", "left", "aborted")


def test_results_follow_from_seats_and_outcome():
    chairs = (Chair("p1"), Chair("p2"), Chair("bot:greedy"), Chair("p4"))
    seating = Seating(vacant={4: 9}, was=(FormerHolder(2, "p3", 5), FormerHolder(1, "p2", 6)))
    ended = GameEnded("points", "", (1, 4), {})

    assert {"p1": (1, WON), "p2": (2, LOST), "p3": (2, LEFT), "p4": (4, LEFT)} == list_results(chairs, seating, ended)
    aborted = list_results(chairs, Seating(), GameEnded("aborted", "", (), {}))
    assert {ABORTED} == {result for _, result in aborted.values()}


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        (WON, LOST, "won"),
        (LOST, WON, "lost"),
        (WON, WON, "even"),
        (LOST, LEFT, "won"),
        (LEFT, LOST, "lost"),
        (ABORTED, ABORTED, "even"),
        (LEFT, ABORTED, "even"),
    ],
)
def test_two_results_are_compared(own, other, expected):
    assert expected == compare(own, other)
