"""Titles and tags of games."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from service.core.history.seating import describe_game
from service.store.ports.titles import _FIRST, _SECOND, default_title
from tests.core.http.problem import is_a_problem
from tests.store.pump import lobby


def test_default_titles_never_change():
    """No title is stored for most games, so another word here renames games that are being played."""
    assert ["Quick Meadow", "Amber Falcon", "Serene Castle"] == [default_title(f"g{number}") for number in range(3)]
    assert "Hollow Village" == default_title("gq3v1xk7rtz2m5ab")


def test_default_titles_differ_for_most_games():
    assert len(set(_FIRST)) == len(set(_SECOND)) == 128
    assert len({default_title(f"g{number}") for number in range(1000)}) > 950


def test_game_has_a_default_title_until_its_creator_chooses_one(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game()
    assert (default_title(made["id"]), []) == (made["title"], made["tags"])

    path = f"/v1/games/{made['id']}"
    changed = ash.call("PATCH", path, {"title": " Friday   evening ", "tags": ["beginners", "2-days"]}, want=200).json

    assert ("Friday evening", ["beginners", "2-days"]) == (changed["title"], changed["tags"])
    assert changed["title"] == birk.summary(made["id"])["title"] == world.public.summary(made["id"])["title"]
    assert ["Friday evening"] == [each["title"] for each in birk.get("/v1/games").json["games"]]


def test_title_and_tags_can_be_given_at_creation(world):
    made = world.player().make_game(title="Friday", tags=["beginners"])

    assert ("Friday", ["beginners"]) == (made["title"], made["tags"])


def test_omitted_fields_are_kept_and_null_restores_the_default(world):
    ash = world.player()
    made = ash.make_game(title="Friday", tags=["beginners"])
    path = f"/v1/games/{made['id']}"

    assert ("Friday", []) == _titled(ash.call("PATCH", path, {"tags": []}, want=200))
    assert ("Saturday", []) == _titled(ash.call("PATCH", path, {"title": "Saturday"}, want=200))
    assert (default_title(made["id"]), []) == _titled(ash.call("PATCH", path, {"title": None}, want=200))
    assert (default_title(made["id"]), []) == _titled(ash.call("PATCH", path, {}, want=200))


def _titled(answer):
    return answer.json["title"], answer.json["tags"]


def test_only_the_creator_changes_the_title_and_only_before_the_start(world):
    ash, birk = world.player(), world.player()
    game = ash.make_game(title="Friday", tags=["beginners"])["id"]
    birk.join(game)
    path = f"/v1/games/{game}"

    is_a_problem(birk.call("PATCH", path, {"title": "Mine"}), 403, "not-creator")
    is_a_problem(world.public.call("PATCH", path, {"title": "Mine"}), 401, "no-token")
    is_a_problem(ash.call("PATCH", "/v1/games/g0", {"title": "Mine"}), 404, "unknown-game")
    ash.start(game)
    is_a_problem(ash.call("PATCH", path, {"title": "Late"}), 409, "started")

    assert ("Friday", ["beginners"]) == _titled(ash.get(path))


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"title": ""}, "/title"),
        ({"title": "x" * 61}, "/title"),
        ({"title": " \u3164 "}, "/title"),
        ({"title": "safe\u202egnp.exe"}, "/title"),
        ({"title": "a" + "\u0301" * 5}, "/title"),
        ({"title": "..."}, "/title"),
        ({"title": 7}, "/title"),
        ({"tags": ["Upper"]}, "/tags/0"),
        ({"tags": ["ok", "x" * 25]}, "/tags/1"),
        ({"tags": ["a", "b", "a"]}, "/tags/2"),
        ({"tags": [f"t{number}" for number in range(9)]}, "/tags"),
        ({"tags": "beginners"}, "/tags"),
        ({"name": "Friday"}, "/name"),
    ],
)
def test_bad_titles_and_tags_get_a_clear_problem(world, body, pointer):
    ash = world.player()
    game = ash.make_game()["id"]

    changed = is_a_problem(ash.call("PATCH", f"/v1/games/{game}", body), 422, "invalid")
    created = is_a_problem(ash.post("/v1/games", {"kind": "pennies", "seats": 2, **body}), 422, "invalid")

    assert pointer == changed["errors"][0]["pointer"] == created["errors"][0]["pointer"]


def made(player, **told):
    """Create a game and return its id; lists are sorted by creation time, so each game needs its own millisecond."""
    time.sleep(0.002)
    return player.make_game(**told)["id"]


def test_lists_are_filtered_by_tag_player_and_time(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    first = made(ash, tags=["beginners"])
    second = made(birk, tags=["beginners", "fast"])
    third = made(ash, tags=["fast"], visibility="private")
    ash.join(second)

    def listed(reader, **query):
        return [each["id"] for each in reader.get("/v1/games", want=200, **query).json["games"]]

    assert [second, first] == listed(birk, tag="beginners") == listed(birk, player=ash.id)
    assert [second] == listed(birk, tag="fast") == listed(birk, player=ash.id, tag="fast")
    assert [third, second, first] == listed(ash, mine="true")
    assert [first, second, third] == listed(ash, mine="true", sort="oldest")
    assert [third, second] == listed(ash, mine="true", tag="fast")
    assert [second] == listed(ash, mine="true", player=birk.id)
    assert [] == listed(ash, tag="slow")
    assert [] == listed(ash, player="p0")
    assert [] == listed(ash, since="2999-01-01T00:00:00Z")
    assert [second, first] == listed(ash, since="2000-01-01") == listed(ash, sort="newest")
    assert [first, second] == listed(ash, sort="oldest")
    since = datetime.fromtimestamp(ash.summary(second)["created_at"] / 1000, UTC).isoformat()
    assert [second] == listed(ash, since=since) == listed(ash, since=since, sort="oldest")
    ash.call("PATCH", f"/v1/games/{first}", {"tags": ["fast"]}, want=200)
    assert [second] == listed(birk, tag="beginners")
    assert [second, first] == listed(birk, tag="fast")


def test_next_page_keeps_the_filters(world):
    ash = world.player()
    games = {ash.make_game(tags=["fast"])["id"] for _ in range(5)}
    ash.make_game()
    found, path = [], "/v1/games?tag=fast&sort=oldest&limit=2"
    while path:
        page = ash.get(path, want=200)
        found += [each["id"] for each in page.json["games"]]
        path = page.headers["Link"].partition(">")[0][1:] if "Link" in page.headers else ""

    assert sorted(games) == sorted(found)
    assert found == [each["id"] for each in ash.get("/v1/games", tag="fast", sort="oldest").json["games"]]


@pytest.mark.parametrize(("name", "value"), [("tag", "A b"), ("since", "yesterday"), ("sort", "deadline")])
def test_bad_filters_get_a_clear_problem(world, name, value):
    wrong = is_a_problem(world.public.get("/v1/games", **{name: value}), 422, "invalid")

    assert name == wrong["parameter"]


def test_inbox_names_the_game_and_the_opponents(world):
    game, ash, birk = world.table("Ash", "Birk", title="Friday")
    own = ash.turns() + birk.turns()

    assert own
    for turn in own:
        other = {1: {"seat": 2, "name": "Birk"}, 2: {"seat": 1, "name": "Ash"}}[turn["seat"]]
        assert (game, "Friday", [other]) == (turn["game"], turn["title"], turn["opponents"])


def test_heading_names_the_kind_of_a_game_that_this_release_lacks():
    made = lobby("ash", "birk", kind="chess", title="Friday")

    assert "Friday (chess with Birk)" == describe_game(made, {1: "Ash", 2: "Birk"}, [1]).text
    assert "Friday (chess)" == describe_game(made, {1: "Ash"}, [1]).text
