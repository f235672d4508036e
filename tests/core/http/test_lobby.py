"""Games before their start: joining, seats, starting and lists."""

from __future__ import annotations

import time

import pytest

from tests.driver import Player


def made(player, **told):
    """Create a game and return its id; lists are sorted by creation time, so each game needs its own millisecond."""
    time.sleep(0.002)
    return player.make_game(**told)["id"]


def test_the_creator_has_seat_1_and_gets_the_invitation(world):
    ash = world.player("Ash")

    made = ash.make_game(visibility="unlisted")

    assert {"id": ash.id, "name": "Ash"} == made["seats"][0]["player"]
    assert made["seats"][1]["player"] is None
    assert [1] == made["your_seats"]
    assert len(made["invitation"]) >= 26
    assert len(made["commitment"]) == 64
    assert made["invitation"] not in ash.get(f"/v1/games/{made['id']}").text


@pytest.mark.parametrize(("visibility", "status"), [("public", 201), ("unlisted", 403), ("private", 404)])
def test_only_public_games_can_be_joined_without_an_invitation(world, visibility, status):
    game = world.player().make_game(visibility=visibility)["id"]

    assert status == world.player().post(f"/v1/games/{game}/seats", {}).status


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
def test_any_game_can_be_joined_with_its_invitation(world, visibility):
    made = world.player().make_game(visibility=visibility)
    birk = world.player("Birk")

    assert 2 == birk.join(made["id"], made["invitation"])
    assert "Birk" == birk.summary(made["id"])["seats"][1]["player"]["name"]


def test_a_new_invitation_voids_the_old_one(world):
    ash, birk = world.player(), world.player()
    made = ash.make_game(visibility="unlisted")

    fresh = ash.post(f"/v1/games/{made['id']}/invitation", want=201).json["invitation"]

    assert (
        "wrong-invitation"
        == birk.post(f"/v1/games/{made['id']}/seats", {"invitation": made["invitation"]}, want=403).code
    )
    assert 2 == birk.join(made["id"], fresh)
    assert "not-creator" == birk.post(f"/v1/games/{made['id']}/invitation", want=403).code


def test_a_player_has_one_seat_and_a_seat_has_one_player(world):
    ash, birk, cyd = world.player(), world.player(), world.player()
    game = ash.make_game(seats=3)["id"]
    assert 3 == birk.join(game, seat=3)

    def told(who, **body):
        return who.post(f"/v1/games/{game}/seats", body).code

    assert "seated-already" == told(birk)
    assert "seat-taken" == told(cyd, seat=3)
    assert "invalid" == told(cyd, seat=4)
    assert 2 == cyd.join(game)
    assert "full" == told(world.player())


def test_leaving_frees_a_seat_and_the_creator_frees_any(world):
    ash, birk, cyd = world.player(), world.player(), world.player()
    game = ash.make_game(seats=3)["id"]
    birk.join(game)
    cyd.join(game)

    assert "not-your-seat" == birk.call("DELETE", f"/v1/games/{game}/seats/3", want=403).code
    birk.call("DELETE", f"/v1/games/{game}/seats/2", want=204)
    ash.call("DELETE", f"/v1/games/{game}/seats/3", want=204)

    assert [True, False, False] == [seat["player"] is not None for seat in ash.summary(game)["seats"]]
    assert [] == birk.summary(game)["your_seats"]


def test_only_the_creator_can_seat_bots_and_only_known_ones(world):
    ash, birk = world.player(), world.player()
    game = ash.make_game(seats=3)["id"]

    def told(who, **body):
        return who.post(f"/v1/games/{game}/seats", body)

    assert "not-creator" == told(birk, bot="random").code
    assert "/bot" == told(ash, bot="deepblue").json["pointer"]
    assert "/entropy" == told(ash, bot="random", entropy="aa").json["pointer"]
    assert {"game": game, "seat": 2, "bot": "greedy"} == told(ash, bot="greedy").json
    assert 3 == told(ash, bot="random", seat=3).json["seat"]


def test_entropy_may_be_changed_until_the_start(world):
    ash, birk = world.player(), world.player()
    game = ash.make_game(entropy="aa")["id"]
    birk.join(game, entropy="bb")

    ash.call("PATCH", f"/v1/games/{game}/seats/1", {"entropy": "cc"}, want=200)
    assert "not-your-seat" == ash.call("PATCH", f"/v1/games/{game}/seats/2", {"entropy": "cc"}, want=403).code
    ash.start(game)

    assert "started" == ash.call("PATCH", f"/v1/games/{game}/seats/1", {"entropy": "dd"}, want=409).code
    assert ["cc", "bb"] == ash.events(game)[0]["lines"][0]["entropy"]


def test_only_the_creator_can_start_a_game_and_only_with_all_seats_taken(world):
    ash, birk = world.player(), world.player()
    game = ash.make_game()["id"]

    assert "seats-open" == ash.post(f"/v1/games/{game}/start", want=409).code
    birk.join(game)
    assert "not-creator" == birk.post(f"/v1/games/{game}/start", want=403).code
    started = ash.post(f"/v1/games/{game}/start", want=200)
    again = ash.post(f"/v1/games/{game}/start", want=200)

    assert "running" == started.json["status"]
    assert started.json["head"] == again.json["head"] == again.headers["Game-Head"].split()[1]
    assert "started" == world.player().post(f"/v1/games/{game}/seats", {}, want=409).code
    assert "started" == birk.call("DELETE", f"/v1/games/{game}/seats/2", want=409).code


def test_a_start_that_takes_long_is_202(world):
    ash = world.player()
    game = ash.make_game()["id"]
    ash.seat_bot(game)
    world.asleep = True

    answer = ash.post(f"/v1/games/{game}/start", headers={"Prefer": "wait=0"}, want=202)

    assert f"/v1/games/{game}" == answer.headers["Location"]
    assert "not-started" == ash.get(f"/v1/games/{game}/view", want=409).code
    assert {"events": [], "after": 0, "more": False} == ash.get(f"/v1/games/{game}/events", want=200).json
    world.asleep = False
    assert "running" == ash.start(game)["status"]


def test_lists_show_public_games_or_with_mine_all_own_games(world):
    ash, birk = world.player(), world.player()
    games = {name: made(ash, visibility=name) for name in ("public", "unlisted", "private")}
    birk.join(games["public"])
    ash.start(games["public"])
    second = made(birk)

    def ids(who, **query):
        return [game["id"] for game in who.get("/v1/games", want=200, **query).json["games"]]

    assert [second, games["public"]] == ids(world.public)
    assert [second, games["public"]] == ids(birk, mine="true")
    assert [games[name] for name in ("private", "unlisted", "public")] == ids(ash, mine="true")
    assert [games["public"]] == ids(world.public, status="running")
    assert [second] == ids(world.public, status="lobby", kind="pennies")
    assert [] == ids(world.public, kind="battalia")


def test_lists_are_paged_by_links(world):
    ash = world.player()
    games = [made(ash) for _ in range(7)]

    found, url, pages = [], "/v1/games?limit=3&kind=pennies", 0
    while url:
        answer = world.public.get(url, want=200)
        found += [game["id"] for game in answer.json["games"]]
        link = answer.headers.get("Link")
        url = link[1 : link.index(">")] if link else None
        pages += 1

    assert games[::-1] == found
    assert 3 == pages


@pytest.mark.parametrize("cursor", ["nonsense", "é", "x" * 500, ""])
def test_an_invalid_cursor_is_422(world, cursor):
    answer = world.public.get("/v1/games", cursor=cursor)

    assert (422, "cursor") == (answer.status, answer.json["parameter"])


def test_kinds_describe_their_options_bots_commands_and_events(world):
    kinds = {kind["key"]: kind for kind in world.public.get("/v1/kinds", want=200).json["kinds"]}
    full = world.public.get("/v1/kinds/pennies", want=200).json

    assert {"points"} == {option["name"] for option in kinds["pennies"]["options"]}
    assert ["random", "greedy"] == kinds["pennies"]["bots"]
    assert {"hide", "roll"} == set(full["commands"])
    assert {"resign", "call_vote", "cast_vote"} <= set(full["table"]["commands"])
    assert "game_ended" in full["table"]["events"]
    assert {"type": "integer"} == full["commands"]["hide"]["properties"]["pennies"]
    assert full["position"]


def test_an_option_lists_its_modules_and_is_accepted_only_with_all_of_them(world):
    ash = world.player()
    options = world.public.get("/v1/kinds/battalia", want=200).json["options"]
    needs = {option["name"]: option["needs"] for option in options if "needs" in option}
    default = {option["name"]: option["default"] for option in options}

    assert {
        "armamentum_sets": ["armamentum"],
        "rammoth_difficulty": ["armamentum", "rammoth"],
        "neutral_strength": ["stormgates"],
        "ruins_strength": ["stormgates"],
    } == needs
    for name, modules in needs.items():
        body = {"kind": "battalia", "seats": 4, "options": {name: default[name]}}
        ash.post("/v1/games", {**body, "modules": modules}, want=201)
        for short in (modules[1:], modules[:-1]):
            assert f"/options/{name}" == ash.post("/v1/games", {**body, "modules": short}, want=422).json["pointer"]


def test_an_option_lists_its_default_for_a_module(world):
    ash = world.player()
    options = world.public.get("/v1/kinds/battalia", want=200).json["options"]
    defaults = {option["name"]: option["defaults"] for option in options if "defaults" in option}

    assert {"unbound_units": {"unbound_buff": True}, "max_weeks": {"keeper": 12}} == defaults
    body = {"kind": "battalia", "seats": 4, "modules": ["keeper", "rammoth"]}
    assert 12 == ash.post("/v1/games", body, want=201).json["options"]["max_weeks"]
    chosen = ash.post("/v1/games", {**body, "options": {"max_weeks": 0}}, want=201)
    assert 0 == chosen.json["options"]["max_weeks"], "endless is for its creator to choose"
    older = ash.post("/v1/games", {**body, "ruleset": "creation_v1"}, want=201)
    assert 0 == older.json["options"]["max_weeks"]


def test_names_are_in_the_summary_and_not_in_the_log(world):
    game, ash, _ = world.table("Ashmodai", "Birk")

    assert "Ashmodai" in ash.get(f"/v1/games/{game}").text
    assert all(b"Ashmodai" not in commit.body for commit in world.store.log.commits(game))


def test_your_seats_is_empty_for_others(world):
    game, ash, _ = world.table(visibility="unlisted")
    stranger = Player(world.site)

    assert [] == stranger.summary(game)["your_seats"]
    assert [1] == ash.summary(game)["your_seats"]
