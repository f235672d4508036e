"""The view of a game: what each reader sees, caching, and past commits."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from domain.kernel.dice import Dice
from domain.kernel.terms import Seat
from service.core.positions.cache import Positions
from service.core.positions.rows import load_current_rows
from service.store.ports.errors import StoreDown
from tests.driver import play_out

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def table(world):
    return world, *world.table()


def test_all_readers_get_the_public_part_and_each_seat_its_private_part(table):
    world, game, ash, birk = table
    ash.send(game, HIDE, want=200)

    views = [player.view(game) for player in (ash, birk, world.public)]

    assert views[0]["public"] == views[1]["public"] == views[2]["public"]
    assert 1 == views[0]["private"]["hidden"]
    assert views[1]["private"]["hidden"] is None
    assert views[2]["private"] is None
    assert ["player", "player"] == [seat["controller"] for seat in views[2]["public"]["table"]["seats"]]


def test_the_etag_is_the_last_commit_that_changed_what_the_reader_sees(table):
    world, game, ash, birk = table
    before = birk.get(f"/v1/games/{game}/view", want=200)
    ash.send(game, {"type": "hide", "pennies": 100}, want=409)

    after = birk.get(f"/v1/games/{game}/view", want=200)

    assert f'"{before.json["seq"]}"' == before.headers["ETag"] == after.headers["ETag"]
    assert before.body == after.body
    assert before.seq + 1 == after.seq, "the head is public, and so is the fact that somebody acted"
    assert after.headers["Game-Head"].split()[1] == world.store.log.head(game)[1]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"7777", {}', "*"])
def test_an_unchanged_view_is_304_with_the_head(table, form):
    _, game, ash, _ = table
    for path in ("view", "options"):
        etag = ash.get(f"/v1/games/{game}/{path}", want=200).headers["ETag"]

        same = ash.get(f"/v1/games/{game}/{path}", headers={"If-None-Match": form.format(etag)})

        assert (304, b"", etag) == (same.status, same.body, same.headers["ETag"])
        assert same.seq >= 1


def test_a_changed_view_is_200(table):
    _, game, ash, birk = table
    etag = ash.get(f"/v1/games/{game}/view").headers["ETag"]
    birk.send(game, HIDE, want=200)

    assert 200 == ash.get(f"/v1/games/{game}/view", headers={"If-None-Match": etag}).status


def test_answers_to_a_seat_are_private_and_not_cacheable(table):
    world, game, ash, _ = table
    for path in ("view", "options", "events"):
        headers = ash.get(f"/v1/games/{game}/{path}", want=200).headers
        assert "private, no-store" == headers["Cache-Control"]
        assert "Authorization" in headers["Vary"]

    assert "no-cache" == world.public.get(f"/v1/games/{game}/view").headers["Cache-Control"]
    assert "Authorization" in world.public.get(f"/v1/games/{game}/view").headers["Vary"]


# -- the past ---------------------------------------------------------------------------------------------------------


def test_a_past_view_stays_the_same_and_the_public_one_is_immutable(table):
    world, game, ash, birk = table
    seen = {}
    for _ in range(3):
        for player in (ash, birk):
            answer = player.get(f"/v1/games/{game}/view", want=200)
            seen[player.id, answer.json["seq"]] = answer.json
            player.send(game, HIDE)

    for player in (ash, birk):
        for (id_, seq), view in seen.items():
            if id_ == player.id:
                past = player.get(f"/v1/games/{game}/view", at=seq, want=200)
                assert view == past.json
                assert "private, no-store" == past.headers["Cache-Control"]
                assert (
                    304
                    == player.get(
                        f"/v1/games/{game}/view", at=seq, headers={"If-None-Match": past.headers["ETag"]}
                    ).status
                )
    public = world.public.get(f"/v1/games/{game}/view", at=1, want=200)
    assert "public, max-age=31536000, immutable" == public.headers["Cache-Control"]


def test_etag_of_a_past_view_is_refused_as_if_match(table):
    _, game, ash, _ = table
    etag = ash.get(f"/v1/games/{game}/view", at=1, want=200).headers["ETag"]

    assert '"1"' != etag
    assert "If-Match" == ash.send(game, HIDE, seen=etag, want=422).json["parameter"]


def test_a_view_at_an_instant_names_its_commit_and_is_not_immutable(table):
    world, game, ash, _ = table
    time.sleep(0.02)
    between = world.store.schedule.now()
    time.sleep(0.02)
    ash.send(game, HIDE, want=200)
    told = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(between // 1000)) + f".{between % 1000:03}"

    for form in (told + "Z", told + "+00:00", told):
        past = ash.get(f"/v1/games/{game}/view", at=form, want=200)

        assert f"/v1/games/{game}/view?at=1" == past.headers["Content-Location"]
        assert past.json["private"]["hidden"] is None
        assert "immutable" not in past.headers["Cache-Control"]
    future = ash.get(f"/v1/games/{game}/view", at="2999-01-01T00:00:00Z", want=200)
    assert f"/v1/games/{game}/view?at={future.seq}" == future.headers["Content-Location"]
    assert ash.view(game) == future.json


# -- after the end ----------------------------------------------------------------------------------------------------


def test_after_the_end_any_reader_can_see_the_private_part_of_any_seat(table):
    world, *_ = table
    ash, birk = world.player(), world.player()
    game = ash.make_game(options={"points": 1})["id"]
    birk.join(game)
    ash.start(game)
    play_out([ash, birk], game, Dice(b"1" * 32))
    last = ash.view(game)["seq"]

    for seat in (1, 2):
        told = world.public.view(game, seat=seat)
        assert told["private"] == [ash, birk][seat - 1].view(game)["private"]
        assert world.public.view(game, seat=seat, at=last)["private"] == told["private"]
    hidden = [line for entry in world.public.events(game, seat=2) for line in entry["lines"] if "pennies" in line]
    assert {2} == {line["seat"] for line in hidden}
    assert "not-your-seat" == ash.get(f"/v1/games/{game}/options", seat=2, want=403).code


def test_options_list_table_commands_separately(table):
    _, game, ash, _ = table

    told = ash.options(game)

    assert [("hide", {}, ["pennies"])] == [
        (option["type"], option["fixed"], [part["name"] for part in option["open"]]) for option in told["options"]
    ]
    assert {"min": 0, "max": ash.view(game)["private"]["purse"]} == told["options"][0]["open"][0]["integer"]
    assert {"type": "resign", "fixed": {}, "open": []} == told["table"][0]
    assert {"resign", "call_vote"} <= {option["type"] for option in told["table"]}
    assert (1, ash.view(game)["seq"]) == (told["seat"], told["seq"])
    ash.send(game, HIDE, want=200)
    after = ash.options(game)
    assert [] == after["options"]
    # The only new option is to undo the command just sent.
    assert told["table"] == [option for option in after["table"] if option["type"] != "request_undo"]


def test_rows_of_another_release_are_rewritten_before_they_are_served(table, monkeypatch):
    world, game, ash, _ = table
    view = ash.get(f"/v1/games/{game}/view", want=200)
    rows = load_current_rows(world.store, Positions(world.store), game, [Seat(1), Seat(2)])
    assert world.store.views.rewrite(game, replace(rows, release="0.0.0", public=b'{"old":true}'))
    written = []
    rewrite = world.store.views.rewrite

    def watched(*told, **how):
        written.append(told)
        return rewrite(*told, **how)

    monkeypatch.setattr(world.store.views, "rewrite", watched)

    again = ash.get(f"/v1/games/{game}/view", want=200)

    assert view.body == again.body
    assert 1 == len(written)


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ('"{}"', 304),
        ('W/"{}"', 304),
        ("*", 304),
        ('"0", "{}"', 304),
        ('W/"0" , W/"{}", "1"', 304),
        ("{}", 200),
        ("W/{}", 200),
        ('"0{}"', 200),
        ('"{}-1"', 200),
        ("", 200),
        ('"{}', 200),
        ('"0, W/"', 200),
    ],
)
def test_if_none_match_compares_quoted_tags_weakly(world, form, status):
    game, ash, _ = world.table()
    seen = ash.get(f"/v1/games/{game}/view").headers["ETag"].strip('"')

    ash.get(f"/v1/games/{game}/view", headers={"If-None-Match": form.format(seen)}, want=status)


def test_view_is_read_from_a_store_that_takes_no_writes(world, monkeypatch):
    game, _, _ = world.table()
    before, calls = load_current_rows(world.store, Positions(world.store), game), []

    def refuse(*_, **__):
        calls.append(1)
        raise StoreDown("READONLY")

    monkeypatch.setattr("service.core.positions.rows.RELEASE", "another")  # the stored views are of another release
    monkeypatch.setattr(world.store.views, "rewrite", refuse, raising=True)
    read = load_current_rows(world.store, Positions(world.store), game)

    assert calls
    assert (before.seq, before.public) == (read.seq, read.public)
