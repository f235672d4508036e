"""Studies: private sandboxes in which a player tries lines, from what they may know."""

from __future__ import annotations

import pytest

from domain.kernel.dice import Dice
from domain.kernel.terms import Seat
from service.core.followers.runner import GROUP
from service.core.http.context.app import EXTENSION
from service.features.studies import storage
from service.store.ports.side_data import NO_GAME
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.core.http.test_followers import Nobody
from tests.core.http.test_noninterference import pretend
from tests.driver import play_out

HIDE = {"type": "hide", "pennies": 1}


def study(player, game, want=201, **body):
    return player.post(f"/v1/games/{game}/studies", body, want=want).json


def listed(player, game):
    return [
        (each["id"], each["name"], each["status"]) for each in player.get(f"/v1/games/{game}/studies").json["studies"]
    ]


def position(player, game):
    return player.get(f"/v1/games/{game}/position", want=200).json["position"]


def test_study_is_a_private_sandbox_that_its_player_plays_for_all_seats(world):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 1000})
    before = world.store.log.head(game)

    made = study(ash, game, draw=7, name="  Open  line ")

    assert {"game": game, "seq": 1} == made["origin"]
    assert (game, 1, 7, "Open line", "running") == tuple(
        made[each] for each in ("game", "seat", "draw", "name", "status")
    )
    assert {"position": True, "dice": False, "forked": {"game": game, "seq": 1}} == ash.summary(made["id"])["sandbox"]
    assert [1, 2] == ash.summary(made["id"])["your_seats"]
    for seat in (1, 2):
        ash.send(made["id"], HIDE, seat=seat, want=200)
    for other in (birk, world.public):
        is_a_problem(other.get(f"/v1/games/{made['id']}"), 404, "unknown-game")
    assert before == world.store.log.head(game), "the game has not changed"
    assert made["id"] not in {each["id"] for each in birk.get("/v1/games").json["games"]}


def test_draw_decides_what_the_seat_may_not_know(world):
    game, ash, _ = begun_battalia(world)

    one, same, other = (study(ash, game, draw=draw)["id"] for draw in (1, 1, 2))

    assert position(ash, one) == position(ash, same)
    assert position(ash, one) != position(ash, other)
    drawn = [study(ash, game)["draw"] for _ in range(2)]
    assert drawn[0] != drawn[1], "by default it is random"
    own = ash.view(game)["private"]
    assert [own] * 3 == [ash.view(each)["private"] for each in (one, same, other)]


def test_study_of_a_study_continues_any_commit_of_it_unchanged(world):
    game, ash, _ = begun_battalia(world)
    first = study(ash, game, draw=1)["id"]
    dice = Dice(b"m" * 32)
    start = position(ash, first)
    for _ in range(5):
        ash.move(first, dice, want=None)
    at = ash.get(f"/v1/games/{first}/position", at=3, want=200).json["position"]

    branch, from_start, drawn = study(ash, first, at=3), study(ash, first, at=1), study(ash, first, at=1, draw=9)

    assert ({"game": first, "seq": 3}, game, None) == tuple(branch[each] for each in ("origin", "game", "draw"))
    assert at == position(ash, branch["id"])
    assert start == position(ash, from_start["id"]) != position(ash, drawn["id"])
    assert [9, 1] == [drawn["draw"], drawn["seat"]]
    assert {first, branch["id"], from_start["id"], drawn["id"]} == {each[0] for each in listed(ash, game)}


def test_studies_are_listed_renamed_and_deleted_by_their_player_only(world):
    game, ash, birk = world.table("Ash", "Birk")
    one = study(ash, game)["id"]
    page = f"/v1/games/{game}/studies"
    assert [(one, "Commit 1", "running")] == listed(ash, game)
    assert [] == listed(birk, game)

    for method, body in (("PATCH", {"name": "Mine"}), ("DELETE", None)):
        is_a_problem(birk.call(method, f"{page}/{one}", body), 404, "unknown-study")
        is_a_problem(ash.call(method, f"/v1/games/{one}/studies/{one}", body), 404, "unknown-study")
        is_a_problem(world.public.call(method, f"{page}/{one}", body), 401, "no-token")
    renamed = ash.call("PATCH", f"{page}/{one}", {"name": " Quiet  line"}, want=200).json
    assert "Quiet line" == renamed["name"]
    assert [(one, "Quiet line", "running")] == listed(ash, game)

    ash.call("DELETE", f"{page}/{one}", want=204)

    assert [] == listed(ash, game)
    is_a_problem(ash.call("DELETE", f"{page}/{one}"), 404, "unknown-study")


@pytest.mark.parametrize("kind", ["nim", "battalia"])
def test_deleted_study_is_erased_at_any_time(world, kind):
    ash, dice = world.player(), Dice(b"d" * 32)
    game = ash.make_game(kind)["id"]
    ash.seat_bot(game, "random")
    ash.start(game)
    for moves in (0, 3):
        one = study(ash, game)["id"]
        branch = study(ash, one, at=1)["id"]
        for _ in range(moves):
            ash.move(one, dice, want=None)

        ash.call("DELETE", f"/v1/games/{game}/studies/{one}", want=204)

        is_a_problem(ash.get(f"/v1/games/{one}"), 404, "unknown-game")
        assert one not in {each["id"] for each in ash.get("/v1/games", mine="true").json["games"]}
        assert one not in {each["game"] for each in ash.turns()}
        assert "running" == ash.summary(branch)["status"]


def test_finished_study_can_be_deleted(world):
    game, ash, _ = world.table("Ash", "Birk", options={"points": 1})
    one = study(ash, game)["id"]
    for seat in (1, 2):
        ash.send(one, {"type": "resign"}, seat=seat, want=None)
    assert "over" == ash.summary(one)["status"]

    ash.call("DELETE", f"/v1/games/{game}/studies/{one}", want=204)

    is_a_problem(ash.get(f"/v1/games/{one}"), 404, "unknown-game")


def test_followers_skip_commits_of_a_deleted_study(world):
    game, ash, _ = world.table("Ash", "Birk")
    ash.post("/v1/webhooks", {"url": "https://example.org/"}, want=201)
    followers, world.worker._followers = world.worker._followers, Nobody()
    one = study(ash, game)["id"]
    world.worker._followers = followers
    partition = world.store.schedule.partition(one)
    assert partition in world.store.changes.behind(GROUP, range(world.store.partitions))
    ash.call("DELETE", f"/v1/games/{game}/studies/{one}", want=204)

    world.worker.round([partition], woken=[partition])

    assert set() == world.store.changes.unseen(GROUP)
    assert [] == [key for key in world.store.wire.one("KEYS", "*") if one.encode() in key]


def test_study_with_a_waiting_command_is_not_deleted(world):
    game, ash, _ = world.table("Ash", "Birk", options={"points": 1000})
    one = study(ash, game)["id"]
    world.asleep = True
    ash.send(one, HIDE, seat=2, wait=0, want=202)

    is_a_problem(ash.call("DELETE", f"/v1/games/{game}/studies/{one}"), 503, "too-much-work")

    world.asleep = False
    world.work(one)
    ash.call("DELETE", f"/v1/games/{game}/studies/{one}", want=204)


def test_study_whose_sandbox_was_removed_is_forgotten(world):
    game, ash, _ = world.table("Ash", "Birk", options={"points": 1000})
    one, kept = study(ash, game)["id"], study(ash, game)["id"]
    ash.send(one, {"type": "resign"}, seat=1, want=200)
    ash.send(one, {"type": "resign"}, seat=2, want=None)
    assert world.store.lobbies.expire_sandbox(one)

    assert [kept] == [each[0] for each in listed(ash, game)]
    assert [kept] == list(storage.list_studies(world.store, ash.id))


def test_table_can_forbid_studies_until_the_game_is_over(world):
    game, ash, birk = world.table("Ash", "Birk", table={"studies": "off"}, options={"points": 1})
    is_a_problem(ash.post(f"/v1/games/{game}/studies", {}), 409, "feature-disabled")
    play_out([ash, birk], game, Dice(b"s" * 32))

    one = study(ash, game, at=1)["id"]

    assert study(ash, one, at=1)["game"] == game


def test_finished_position_cannot_be_studied(world):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 1})
    play_out([ash, birk], game, Dice(b"s" * 32))

    is_a_problem(ash.post(f"/v1/games/{game}/studies", {}), 409, "game-over")
    last = ash.summary(game)["seq"]
    assert "running" == study(ash, game, at=last - 1)["status"]


def test_player_who_resigned_does_not_know_the_cards_of_the_bot(world):
    players = [world.player() for _ in range(3)]
    ash, dice = players[0], Dice(b"r" * 32)
    game = ash.make_game("battalia", seats=3)["id"]
    for other in players[1:]:
        other.join(game)
    ash.start(game)
    for _ in range(3):
        for each in players:
            each.move(game, dice, want=None)
    before = world.store.log.head(game)[0]
    ash.send(game, {"type": "resign"}, want=200)
    resigned = world.store.log.head(game)[0]
    while world.store.log.head(game)[0] <= resigned + 3:
        for each in players[1:]:
            each.move(game, dice, want=None)
    assert "running" == ash.summary(game)["status"]

    def hands(at):
        made = [study(ash, game, draw=draw, at=at)["id"] for draw in range(4)]
        return {str(ash.view(each, at=1)["private"]) for each in made}

    assert 1 == len(hands(before)), "until then it was the player's own hand"
    assert 1 < len(hands(world.store.log.head(game)[0]))


def test_only_players_of_the_game_study_it(world):
    game, ash, _ = world.table("Ash", "Birk", visibility="public")
    lobby, watcher = ash.make_game()["id"], world.player()

    is_a_problem(watcher.post(f"/v1/games/{game}/studies", {}), 403, "not-your-seat")
    is_a_problem(ash.post(f"/v1/games/{game}/studies?seat=2", {}), 403, "not-your-seat")
    is_a_problem(world.public.post(f"/v1/games/{game}/studies", {}), 401, "no-token")
    is_a_problem(ash.post(f"/v1/games/{lobby}/studies", {}), 409, "not-started")
    is_a_problem(ash.post("/v1/games/gnone/studies", {}), 404, "unknown-game")
    is_a_problem(ash.post(f"/v1/games/{game}/studies", {"at": 2}), 404, "unknown-commit")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"at": 0}, "/at"),
        ({"at": "1"}, "/at"),
        ({"draw": -1}, "/draw"),
        ({"draw": 2**53}, "/draw"),
        ({"name": ""}, "/name"),
        ({"name": "a\u202eb"}, "/name"),
        ({"bots": 1}, "/bots"),
    ],
)
def test_bad_request_gets_a_pointer_and_creates_nothing(world, body, pointer):
    game, ash, _ = world.table("Ash", "Birk")

    wrong = is_a_problem(ash.post(f"/v1/games/{game}/studies", body), 422, "invalid")

    assert pointer == wrong["errors"][0]["pointer"]
    assert [] == listed(ash, game)


def test_number_of_studies_is_limited(world, monkeypatch):
    monkeypatch.setattr(storage, "MOST", 1)
    game, ash, birk = world.table("Ash", "Birk")
    one = study(ash, game)["id"]

    is_a_problem(ash.post(f"/v1/games/{game}/studies", {}), 429, "too-many-studies")
    study(birk, game)
    ash.call("DELETE", f"/v1/games/{game}/studies/{one}", want=204)
    study(ash, game)


def test_study_that_cannot_start_leaves_nothing(pennies):
    world = World(running_games=1)
    game, ash, _ = world.table("Ash", "Birk")

    is_a_problem(ash.post(f"/v1/games/{game}/studies", {}), 429, "too-many-running-games")

    assert [] == listed(ash, game)
    assert [game] == [each["id"] for each in ash.get("/v1/games", mine="true").json["games"]]


def test_repeated_request_creates_one_study(world):
    game, ash, _ = world.table("Ash", "Birk")
    key = {"Idempotency-Key": "one study"}

    made = [ash.post(f"/v1/games/{game}/studies", {}, headers=key, want=201).json for _ in range(2)]

    assert made[0] == made[1]
    assert 1 == len(listed(ash, game))


def test_erasing_an_account_removes_its_studies(world):
    game, ash, _ = world.table("Ash", "Birk")
    study(ash, game)

    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    assert {} == world.store.notes.all(NO_GAME, storage.STUDIES + ash.id)


def begun_battalia(world):
    players = [world.player(), world.player()]
    game = players[0].make_game("battalia")["id"]
    players[1].join(game)
    players[0].start(game)
    return game, *players


@pytest.mark.parametrize(("kind", "moves"), [("pennies", 9), ("battalia", 20)])
def test_states_that_a_seat_cannot_distinguish_give_it_the_same_study(kind, moves):
    world = World(rate_requests=0)
    players = [world.player(), world.player()]
    game = players[0].make_game(kind, options={"points": 50} if kind == "pennies" else {})["id"]
    players[1].join(game)
    players[0].start(game)
    dice, differed = Dice(b"n" * 32), 0
    for move in range(moves):
        seat, player = move % 2 + 1, players[move % 2]
        real = world.store.views.rows(game, [Seat(1), Seat(2)])
        before = studied(player, game)
        differed += pretend(world, game, Seat(seat), Dice(bytes([move]) * 32))

        assert before == studied(player, game)

        world.app.extensions[EXTENSION].positions.forget(game)
        world.store.views.rewrite(game, real)
        for each in players:
            each.move(game, dice, want=None)

    assert differed > 0


def studied(player, game):
    """A new study and its first position, without ids and times."""
    made = study(player, game, draw=7)
    page = made.pop("id")
    del made["created_at"]
    first = player.get(f"/v1/games/{page}/position", at=1, want=200).json["position"]
    seen = [player.view(page, at=1, seat=seat) for seat in (1, 2)]
    player.call("DELETE", f"/v1/games/{game}/studies/{page}", want=204)
    return made, first, seen
