"""The score timeline of a game: starts of days, rounds and turns, points, undone commits; equal for all its readers."""

from __future__ import annotations

import pytest

from domain.kernel.dice import Dice
from tests.driver import play_out

URL = "/v1/games/{}/course"


def course(player, game, **query):
    return player.get(URL.format(game), want=200, **query).json


def begun(world, kind, bot="greedy", **told):
    seats = 4 if kind == "fronela" else 2
    player = world.player("Ashmodai")
    game = player.make_game(kind, seats, **told)["id"]
    for _ in range(seats - 1):
        player.seat_bot(game, bot)
    player.start(game)
    return player, game


def played(world, kind, turns=3, **told):
    player, game = begun(world, kind, **told)
    for _ in range(turns):
        if player.summary(game)["status"] == "running":
            player.send(game, _ends(player, game), want=200)
    return player, game


def _ends(player, game):
    """A command that ends the turn if the options have one, otherwise the first option."""
    options = player.options(game, only="answers")["options"]
    plain = [option for option in options if not option["open"]]
    for wanted in ("end_turn", "done", "auto"):
        if any(option["type"] == wanted for option in plain):
            return {"type": wanted}
    first = options[0]
    return {"type": first["type"], **first["fixed"], **{each["name"]: _first(each) for each in first["open"]}}


def _first(parameter):
    if "one_of" in parameter:
        return parameter["one_of"][0]
    return parameter["subset_of"][: parameter["min"]] if "subset_of" in parameter else parameter["min"]


@pytest.mark.parametrize(("kind", "unit", "turns"), [("battalia", "day", 5), ("fronela", "round", 3)])
def test_each_day_or_round_begins_at_the_commit_where_the_view_first_shows_it(world, kind, unit, turns):
    player, game = played(world, kind, turns, options={} if kind == "fronela" else {"quick_setup": True})
    told = course(player, game)
    newest = player.get(f"/v1/games/{game}").seq
    views = {seq: player.view(game, at=seq)["public"] for seq in range(1, newest + 1)}
    time = {
        "battalia": lambda view: 7 * (view["week"] - 1) + view["day"],
        "fronela": lambda view: view["round"],
    }[kind]
    expected, before = [], None
    for seq, view in views.items():
        if time(view) != before:
            before = time(view)
            expected.append((seq, before))

    assert told["unit"] == unit
    assert [(each["seq"], each["time"]) for each in told["times"]] == expected
    points = views[newest].get("points") or {number: seat["points"] for number, seat in views[newest]["seats"].items()}
    assert told["points"] == points
    assert [str(each["seat"]) for each in told["seats"]] == list(points)
    assert all(shade.startswith("#") for each in told["seats"] for shade in each["color"].values())
    assert all(each["color"]["light"] != each["color"]["dark"] for each in told["seats"])


@pytest.mark.parametrize("kind", ["battalia", "fronela"])
def test_turns_have_the_titles_of_the_digest_paragraphs(world, kind):
    player, game = played(world, kind)
    digest, after = [], 0
    while True:
        page = player.get(f"/v1/games/{game}/events", digest="turn", after=after, want=200).json
        digest += [each for each in page["paragraphs"] if each["finished"] or not page["more"]]
        if not page["more"]:
            break
        after = page["after"]
    titles = [each["title"] for each in digest if each["title"]]

    assert [each["title"] for each in course(player, game)["turns"] if each["title"]] == titles
    assert len(titles) > 1


def test_parameter_after_returns_only_later_times_and_turns(world):
    player, game = played(world, "battalia", 6)
    whole = course(player, game)
    for seq in (1, whole["times"][0]["seq"], whole["turns"][2]["seq"], whole["seq"] - 1, whole["seq"]):
        part = course(player, game, after=seq)
        for each in ("times", "turns"):
            assert part[each] == [found for found in whole[each] if found["seq"] > seq]
        for each in ("seq", "unit", "seats", "undone", "points"):
            assert part[each] == whole[each]


def test_undone_commits_are_listed_and_the_times_they_began_are_removed(world):
    player = world.player("Ashmodai")
    game = player.make_game("battalia", 2, table={"undo": "free"}, sandbox={})["id"]
    player.join(game)
    player.start(game)
    first = player.get(f"/v1/games/{game}").seq + 1
    for _ in range(6):
        seat = player.summary(game)["pending_questions"][0]["seat"]
        options = player.options(game, seat=seat, only="answers")["options"]
        option = next((each for each in options if each["type"] == "end_turn"), options[0])
        command = {"type": option["type"], **option["fixed"], **{each["name"]: _first(each) for each in option["open"]}}
        player.send(game, command, seat=seat, want=200)
    forth = course(player, game)
    asks = player.send(game, {"type": "request_undo", "seq": first}, seat=1, want=200).json["seq"]
    agrees = {"type": "answer_undo", "request": asks, "agree": True}
    by = player.send(game, agrees, seat=2, want=200).json["seq"]
    back = course(player, game)

    assert forth["undone"] == []
    assert back["undone"] == [{"first": first, "last": by - 1, "by": by}]
    assert back["times"] == [each for each in forth["times"] if each["seq"] < first]
    assert len(back["times"]) < len(forth["times"])
    assert course(player, game, after=first + 1)["undone"] == back["undone"]


def test_all_readers_get_the_same_timeline_and_304_for_a_known_etag(world):
    player, game = played(world, "battalia")
    answer = player.get(URL.format(game), want=200)

    assert answer.json == world.public.get(URL.format(game), want=200).json
    world.public.get(URL.format(game), headers={"If-None-Match": answer.headers["ETag"]}, want=304)
    other = player.get(URL.format(game), after=1, want=200)
    assert other.headers["ETag"] != answer.headers["ETag"]


def test_a_game_without_days_or_turns_has_an_empty_timeline(world):
    game, ash, birk = world.table("Ash", "Birk")
    play_out([ash, birk], game, Dice(b"a course of pennies".ljust(32)))

    told = course(ash, game)
    assert (told["unit"], told["times"], told["turns"], told["points"]) == (None, [], [], None)
    assert [each["name"] for each in told["seats"]] == ["Ash", "Birk"]


def test_invalid_timeline_requests_are_refused(world):
    player, game = begun(world, "nim", "random", visibility="private")
    path = URL.format(game)

    assert "private" in player.get(path, want=200).headers["Cache-Control"]
    assert "unknown-game" == world.public.get(path, want=404).code
    assert "unknown-game" == player.get(URL.format("none"), want=404).code
    assert "log-diverged" == player.get(path, after=10**6, want=409).code
    for wrong in ({"after": "x"}, {"after": -1}, {"at": 1}, {"seat": 1}):
        assert "invalid" == player.get(path, want=422, **wrong).code
    lobby = player.make_game("nim", 2)["id"]
    assert "not-started" == player.get(URL.format(lobby), want=409).code
