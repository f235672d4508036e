"""Challenges: reserved seats are for their players alone, and the game starts when all have accepted."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.features.challenges import creation, offers
from service.features.cleanup.jobs import clear
from service.store.ports.accounts import Suspension
from service.store.ports.side_data import NO_GAME
from service.store.ports.titles import default_title
from tests.clock import StoreClock
from tests.core.http.problem import is_a_problem
from tests.notifications.hooked import Hooked

DAY = 24 * 3_600_000


def seats(*players):
    """The seats of a game for these players; a text is a bot, None an open seat."""
    return {
        "seats": [
            {} if each is None else {"bot": each} if isinstance(each, str) else {"player": each.id} for each in players
        ]
    }


def challenge(player, *games, want=201, **told):
    """Challenge players to games; returns the response."""
    body = {"kind": "pennies", "games": [seats(*each) for each in games], **told}
    return player.post("/v1/challenges", body, want=want)


def listed(player):
    return player.get("/v1/me/challenges", want=200).json["challenges"]


def accept(player, game, **told):
    return player.post(f"/v1/games/{game}/seats", {"entropy": "5eed", **told})


def at_once(call, values):
    """Call a function with each value, all at the same time; returns the results."""
    values = list(values)
    start = threading.Barrier(len(values))

    def run(value):
        start.wait(30)
        return call(value)

    with ThreadPoolExecutor(len(values)) as pool:
        return list(pool.map(run, values))


@pytest.fixture
def people(world):
    return [world.player(name) for name in ("Ash", "Birk", "Cyra")]


@pytest.fixture
def clock(monkeypatch):
    return StoreClock(monkeypatch)


# -- create and accept ------------------------------------------------------------------------------------------------


def test_challenged_player_accepts_and_the_game_starts(world, people):
    ash, birk, _ = people
    (made,) = challenge(ash, (birk, ash), entropy="ab").json["challenges"]
    game = made["game"]["id"]

    assert ("private", False, "lobby") == (made["game"]["visibility"], made["received"], made["game"]["status"])
    one, two = made["game"]["seats"]
    assert (None, ash.id, "ab") == (one["player"], two["player"]["id"], two["entropy"])
    assert {"id": birk.id, "name": "Birk"} == one["reservation"]["player"]
    assert (True, [game]) == (listed(birk)[0]["received"], [each["game"]["id"] for each in listed(birk)])
    assert made["expires_at"] == one["reservation"]["expires_at"] == listed(birk)[0]["expires_at"]
    assert 1 == accept(birk, game).json["seat"]
    assert ("running", None) == (birk.summary(game)["status"], birk.summary(game)["seats"][0]["reservation"])
    assert ([], []) == (listed(ash), listed(birk))


def test_games_of_a_challenge_have_its_title_and_tags(people):
    ash, birk, _ = people
    made = challenge(ash, (ash, birk), (birk, ash), title=" Friday ", tags=["fast"]).json["challenges"]

    assert [("Friday", ["fast"])] * 2 == [(each["game"]["title"], each["game"]["tags"]) for each in made]
    (plain,) = challenge(ash, (ash, birk)).json["challenges"]
    assert default_title(plain["game"]["id"]) == plain["game"]["title"]
    assert "/title" == is_a_problem(challenge(ash, (ash, birk), title="\u202e", want=None), 422, "invalid")["pointer"]


def test_reserved_seat_is_for_its_player_alone(world, people):
    ash, birk, cyra = people
    game = challenge(ash, (ash, birk, None), visibility="public").json["challenges"][0]["game"]["id"]

    is_a_problem(accept(cyra, game, seat=2), 409, "seat-reserved")
    is_a_problem(ash.post(f"/v1/games/{game}/seats", {"bot": "random", "seat": 2}), 409, "seat-reserved")
    assert 3 == accept(cyra, game).json["seat"]
    is_a_problem(accept(world.player(), game), 409, "full")
    assert 2 == accept(birk, game).json["seat"]


def test_private_challenge_is_visible_to_its_players_alone(people):
    ash, birk, cyra = people
    game = challenge(ash, (ash, birk)).json["challenges"][0]["game"]["id"]

    assert "lobby" == birk.summary(game)["status"]
    is_a_problem(cyra.get(f"/v1/games/{game}"), 404, "unknown-game")
    is_a_problem(accept(cyra, game), 404, "unknown-game")
    is_a_problem(cyra.call("DELETE", f"/v1/me/challenges/{game}"), 404, "unknown-challenge")


def test_organizer_creates_many_games_without_a_seat(people):
    ash, birk, cyra = people
    made = challenge(ash, (birk, cyra), (cyra, birk), (birk, "random")).json["challenges"]

    assert [[birk.id, cyra.id], [cyra.id, birk.id]] == [
        [seat["reservation"]["player"]["id"] for seat in each["game"]["seats"]] for each in made[:2]
    ]
    assert [[], [], []] == [each["game"]["your_seats"] for each in made]
    one, _, bots = [each["game"]["id"] for each in made]
    accept(birk, bots)
    accept(birk, one)
    assert ("lobby", "running") == (birk.summary(one)["status"], birk.summary(bots)["status"])
    accept(cyra, one)
    assert ("running", ash.id) == (birk.summary(one)["status"], birk.summary(one)["creator"])


def test_repeated_request_creates_the_games_once(people):
    ash, birk, _ = people
    key = {"Idempotency-Key": "k1"}
    one, two = (challenge_with(ash, birk, key) for _ in range(2))

    assert one == two
    assert 2 == len(listed(birk))


def challenge_with(ash, birk, headers):
    body = {"kind": "pennies", "games": [seats(ash, birk), seats(birk, ash)]}
    return ash.post("/v1/challenges", body, headers=headers, want=201).json


def test_wrong_challenges_get_a_problem_with_the_place(people):
    ash, birk, _ = people

    def pointer(*games, status=422, code="invalid", **told):
        return is_a_problem(challenge(ash, *games, want=None, **told), status, code)["pointer"]

    class Nobody:
        id = "p0"

    assert "/games" == pointer()
    assert "/games/0/seats" == pointer((ash, None))
    assert "/games/0/seats" == pointer((ash, "random"))
    assert "/games/1/seats" == pointer((ash, birk), (birk, *[None] * 20))
    assert "/games/0/seats/2/player" == pointer((ash, birk, birk))
    assert "/games/0/seats/1/bot" == pointer((birk, "nonsense"))
    assert "/games/0/seats/1/player" == pointer((birk, Nobody()), status=404, code="unknown-player")
    assert "/pace/hours" == pointer((ash, birk), pace={"mode": "per_question"})
    assert "/table/undo" == pointer((ash, birk), table={"undo": "sometimes"})
    assert "/expires_in" == pointer((ash, birk), expires_in=60)
    for name in ("seats", "auto_start", "sandbox"):
        assert f"/{name}" == pointer((ash, birk), **{name: 2})
    both = {"kind": "pennies", "games": [{"seats": [{"player": birk.id, "bot": "random"}, {}]}]}
    assert "/games/0/seats/0" == is_a_problem(ash.post("/v1/challenges", both), 422, "invalid")["pointer"]
    assert [] == listed(ash) == listed(birk)


def test_too_many_games_in_one_request_create_none(people):
    ash, birk, cyra = people
    challenge(ash, *[(ash, birk)] * 30)

    is_a_problem(challenge(ash, *[(ash, cyra)] * 30, want=None), 429, "too-many-lobbies")
    assert [] == listed(cyra)
    assert 20 == len(challenge(ash, *[(ash, cyra)] * 20).json["challenges"])


# -- who can be challenged --------------------------------------------------------------------------------------------


@pytest.fixture(params=["blocks", "is blocked", "is suspended", "has opted out", "has too many challenges"])
def unavailable(request, world, people):
    ash, birk, cyra = people
    match request.param:
        case "blocks":
            birk.call("PUT", f"/v1/me/blocks/{ash.id}", {}, want=200)
        case "is blocked":
            ash.call("PUT", f"/v1/me/blocks/{birk.id}", {}, want=200)
        case "is suspended":
            world.store.accounts.suspend(birk.id, Suspension("spam", 1, None))
        case "has opted out":
            birk.call("PUT", "/v1/me/discovery", {"findable": False}, want=200)
        case "has too many challenges":
            fill(world, birk)
    return ash, birk, cyra


def test_unavailable_player_can_neither_be_found_nor_challenged(unavailable):
    ash, birk, cyra = unavailable

    wrong = is_a_problem(challenge(ash, (ash, cyra, birk), want=None), 409, "not-challengeable")
    assert "/games/0/seats/2/player" == wrong["pointer"]
    assert [] == ash.get("/v1/players", name="birk", want=200).json["players"] == listed(cyra)


def test_player_can_be_challenged_again_after_old_challenges_are_gone(world, people):
    ash, birk, _ = people
    for number in range(4):
        host = world.player(f"Dot {'abcd'[number]}")
        for each in challenge(host, *[(birk, None)] * 25).json["challenges"]:
            host.call("DELETE", f"/v1/games/{each['game']['id']}", want=204)

    assert offers.MOST_RECEIVED == world.store.notes.count(NO_GAME, offers.CHALLENGES + birk.id)
    challenge(ash, (ash, birk))
    assert 1 == world.store.notes.count(NO_GAME, offers.CHALLENGES + birk.id)


def fill(world, birk, each=25):
    """Challenge the player 100 times; returns those who did it."""
    hosts = [world.player(f"Dot {'abcd'[number]}") for number in range(100 // each)]
    for host in hosts:
        challenge(host, *[(birk, None)] * each)
    return hosts


def test_challenges_of_blocked_players_do_not_count(world, people):
    ash, birk, cyra = people
    hosts = fill(world, birk, 50)
    birk.call("PUT", f"/v1/me/blocks/{hosts[0].id}", {}, want=200)

    assert [birk.id] == [each["id"] for each in ash.get("/v1/players", name="birk", want=200).json["players"]]
    challenge(ash, *[(birk, None)] * 50)
    is_a_problem(challenge(cyra, (birk, None), want=None), 409, "not-challengeable")


def test_request_that_exceeds_the_limit_of_a_player_creates_no_game(world, people):
    ash, birk, cyra = people
    fill(world, birk)
    for each in listed(birk)[:2]:
        birk.call("DELETE", f"/v1/me/challenges/{each['game']['id']}", want=204)

    wrong = is_a_problem(challenge(ash, *[(cyra, birk)] * 3, want=None), 409, "not-challengeable")
    assert "/games/0/seats/1/player" == wrong["pointer"]
    assert [] == listed(ash) == listed(cyra)
    challenge(ash, *[(cyra, birk)] * 2)
    assert offers.MOST_RECEIVED == len(listed(birk))


def test_parallel_requests_do_not_exceed_the_limit_of_a_player(world, people):
    birk = people[1]
    fill(world, birk)
    birk.call("DELETE", f"/v1/me/challenges/{listed(birk)[0]['game']['id']}", want=204)
    rivals = [world.player(f"Eve {letter}") for letter in "abcdef"]

    statuses = at_once(lambda rival: challenge(rival, (birk, rival), want=None).status, rivals)
    assert [201, *[409] * 5] == sorted(statuses)
    assert offers.MOST_RECEIVED == len(listed(birk))


def test_request_gives_up_if_another_one_does_not_finish(monkeypatch, world, people):
    ash, birk, _ = people
    monkeypatch.setattr(creation, "LOCK_WAIT", 0)
    world.store.places.hold(f"challenge:{birk.id}", "other", 1, 60)

    is_a_problem(challenge(ash, (ash, birk), want=None), 503, "too-much-work")
    world.store.places.let_go([(f"challenge:{birk.id}", "other")])
    challenge(ash, (ash, birk))
    challenge(ash, (ash, birk))


def test_block_after_the_challenge_keeps_the_player_out(people):
    ash, birk, _ = people
    game = challenge(ash, (ash, birk)).json["challenges"][0]["game"]["id"]
    birk.call("PUT", f"/v1/me/blocks/{ash.id}", {}, want=200)

    is_a_problem(accept(birk, game), 403, "not-admitted")
    assert ([], [game]) == (listed(birk), [each["game"]["id"] for each in listed(ash)])


# -- decline, withdraw, expire ----------------------------------------------------------------------------------------


def test_declined_seat_is_free_for_others(people):
    ash, birk, cyra = people
    game = challenge(ash, (ash, birk), visibility="unlisted").json["challenges"][0]["game"]["id"]
    birk.call("DELETE", f"/v1/me/challenges/{game}", want=204)

    (made,) = listed(ash)
    assert {"id": birk.id, "name": "Birk"} == made["game"]["seats"][1]["reservation"]["player"]
    assert (None, None) == (made["expires_at"], made["game"]["seats"][1]["reservation"]["expires_at"])
    assert [] == listed(birk)
    is_a_problem(birk.call("DELETE", f"/v1/me/challenges/{game}"), 404, "unknown-challenge")
    is_a_problem(accept(birk, game), 403, "wrong-invitation")
    code = ash.post(f"/v1/games/{game}/invitation", want=201).json["invitation"]
    assert 2 == cyra.join(game, code)
    assert ("running", None) == (cyra.summary(game)["status"], cyra.summary(game)["seats"][1]["reservation"])


def test_creator_frees_a_reserved_seat_or_withdraws_the_challenge(people):
    ash, birk, cyra = people
    game = challenge(ash, (ash, birk, cyra)).json["challenges"][0]["game"]["id"]
    assert 403 == cyra.call("DELETE", f"/v1/games/{game}/seats/2").status
    ash.call("DELETE", f"/v1/games/{game}/seats/2", want=204)

    assert ([], [game]) == ([], [each["game"]["id"] for each in listed(cyra)])
    assert [] == listed(birk)
    is_a_problem(accept(birk, game), 404, "unknown-game")
    ash.call("DELETE", f"/v1/games/{game}", want=204)
    assert [] == listed(ash) == listed(cyra)


def test_expired_seat_is_free_and_an_unaccepted_game_is_deleted_a_day_later(clock, world, people):
    ash, birk, cyra = people
    game, other = (
        each["game"]["id"]
        for each in challenge(ash, (ash, birk), (ash, birk, cyra), expires_in=3600).json["challenges"]
    )
    assert 2 == accept(birk, other).json["seat"]
    clock.forward(3_600_000)

    assert ([], []) == (listed(birk), listed(cyra))
    is_a_problem(accept(birk, game), 404, "unknown-game")
    is_a_problem(birk.call("DELETE", f"/v1/me/challenges/{game}"), 404, "unknown-challenge")
    assert 2 == len(listed(ash))
    offers.expire(world.store)
    clock.forward(DAY - 1000)
    offers.expire(world.store)
    assert 2 == len(listed(ash))
    clock.forward(1000)
    offers.expire(world.store)
    assert [other] == [each["game"]["id"] for each in listed(ash)]


def test_challenge_without_players_outlives_the_cleanup(clock, world, people):
    ash, birk, cyra = people
    game = challenge(ash, (birk, cyra)).json["challenges"][0]["game"]["id"]
    clock.forward(2 * DAY)

    assert 0 == clear(world.store, 30)
    assert 1 == accept(birk, game).json["seat"]


def test_erased_account_declines_its_challenges(people):
    ash, birk, cyra = people
    game = challenge(ash, (ash, birk)).json["challenges"][0]["game"]["id"]
    sent = challenge(birk, (birk, cyra)).json["challenges"][0]["game"]["id"]
    birk.call("DELETE", "/v1/me", {"name": "Birk"}, want=204)

    assert (game, None) == (listed(ash)[0]["game"]["id"], listed(ash)[0]["expires_at"])
    assert ([], 404) == (listed(cyra), cyra.get(f"/v1/games/{sent}").status)


# -- notifications ----------------------------------------------------------------------------------------------------


@pytest.fixture
def hooked():
    made = Hooked()
    yield made
    made.close()


def test_players_are_notified_of_challenges_and_answers(clock, hooked):
    ash, birk, cyra = (hooked.player(name) for name in ("Ash", "Birk", "Cyra"))
    for player in (ash, birk, cyra):
        hooked.hook(player, f"/{player.name}")
    game = challenge(ash, (ash, birk, cyra), expires_in=3600).json["challenges"][0]["game"]["id"]
    hooked.post_out()
    birk.call("DELETE", f"/v1/me/challenges/{game}", want=204)
    hooked.post_out()
    clock.forward(3_600_000)
    assert [game] == offers.expire(hooked.store)
    assert [] == offers.expire(hooked.store)
    hooked.post_out()

    def got(name):
        return [(each.json["type"], each.json["data"]["text"]) for each in hooked.receiver.got[f"/{name}"]]

    asked = [("challenge", "Ash offers you a seat. Accept or decline.")]
    assert asked == got("Birk") == got("Cyra")
    assert [
        ("challenge_declined", "Birk declined. The seat is free."),
        ("challenge_expired", "Cyra did not answer in time. The seat is free."),
    ] == got("Ash")


def test_request_that_failed_after_creating_the_game_notifies_once(monkeypatch, hooked):
    ash, birk = hooked.player("Ash"), hooked.player("Birk")
    hooked.hook(birk)
    body, key = {"kind": "pennies", "games": [seats(ash, birk)]}, {"Idempotency-Key": "k1"}
    with monkeypatch.context() as broken:
        broken.setattr(creation, "notify", lambda *_: 1 / 0)
        assert 500 == ash.post("/v1/challenges", body, headers=key).status
    hooked.post_out()
    assert [] == list(hooked.receiver.got["/hook"])

    (made,) = ash.post("/v1/challenges", body, headers=key, want=201).json["challenges"]
    hooked.post_out()
    assert [made["game"]["id"]] == [each.json["data"]["game"] for each in hooked.receiver.got["/hook"]]
    assert 1 == len(listed(birk))


def test_answered_challenge_is_not_announced(hooked):
    ash, birk = hooked.player("Ash"), hooked.player("Birk")
    hooked.hook(birk, events=["challenge"])
    game = challenge(ash, (ash, birk)).json["challenges"][0]["game"]["id"]
    birk.call("DELETE", f"/v1/me/challenges/{game}", want=204)
    hooked.post_out()

    assert [] == list(hooked.receiver.got["/hook"])
