"""Seats change hands: words follow whoever has the seat when they are told, and nobody else reads with its eyes."""

from __future__ import annotations

import pytest

from service.post.listening import mend
from service.post.news import News
from service.projections.positions.cache import Positions
from tests.api.test_substitutes import game_with_an_empty_seat, go_on, secrets_of, sit, take
from tests.post.hooked import Hooked


@pytest.fixture
def world():
    made = Hooked()
    yield made
    made.close()


def entries(world, path):
    return [got.json["data"]["entry"] for got in world.receiver.got[path] if got.json["data"]["entry"]]


def test_whoever_takes_a_seat_is_told_and_whoever_had_it_is_not(world):
    game, ash, birk = game_with_an_empty_seat(world)
    cleo = world.player("Cleo")
    world.hook(birk, "/birk", game=game)
    world.hook(cleo, "/cleo")
    take(cleo, game)
    world.post_out()
    birk_told = len(entries(world, "/birk"))
    go_on(game, ash, cleo)
    world.post_out()

    assert birk_told == len(entries(world, "/birk")), "it is not theirs any more"
    assert [] == secrets_of(entries(world, "/birk"))
    assert entries(world, "/cleo") == cleo.events(game)[-len(entries(world, "/cleo")) :]
    assert secrets_of(entries(world, "/cleo"))
    assert "your_turn" in {event for got in world.receiver.got["/cleo"] for event in got.json["data"]["events"]}


def test_who_takes_a_seat_is_called_by_their_name_though_something_was_told_a_moment_before(world):
    game, *_ = game_with_an_empty_seat(world)
    news = News(world.store, Positions(world.store))
    assert "Cleo" not in news.of(game).names.values()
    take(world.player("Cleo"), game)

    assert "Cleo" == news.of(game).names[2]


def test_a_word_that_could_not_be_delivered_in_time_is_not_told_to_who_has_lost_the_seat(world):
    game, ash, birk = world.table(options={"points": 1000}, visibility="public")
    world.hook(birk, "/birk")
    birk.send(game, {"type": "hide", "pennies": 1}, want=200)
    ash.send(game, {"type": "hide", "pennies": 1}, want=200)
    birk.send(game, {"type": "resign"}, want=200)
    take(world.player("Cleo"), game)
    world.post_out()

    assert [] == world.receiver.got["/birk"]


def test_who_sits_in_is_told_while_they_do(world):
    game, ash, birk = world.table(options={"points": 1000}, visibility="public")
    cleo = world.player("Cleo")
    world.hook(cleo, "/cleo", events=["your_turn"])
    sit(birk, game, cleo)
    for player in (ash, birk):
        player.send(game, {"type": "hide", "pennies": 1}, want=200)
    world.post_out()
    told = [got.json["data"] for got in world.receiver.got["/cleo"]]
    assert told and all(2 == data["seat"] for data in told)
    assert {2} == {question["seat"] for data in told for question in data["questions"]}

    birk.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=204)
    for player in (ash, birk):
        player.send(game, {"type": "hide", "pennies": 1}, want=200)
    world.post_out()
    assert len(told) == len(world.receiver.got["/cleo"])


def test_no_commit_is_told_that_came_after_the_holders_of_seats_were_read(world, monkeypatch):
    """What was dealt to a player who took the seat in the meantime is not told to the one before."""
    game, ash, birk = world.table(options={"points": 1000})
    news, progress = News(world.store, Positions(world.store)), world.store.progress
    news.of(game)
    ash.send(game, {"type": "hide", "pennies": 1}, want=200)
    newest = world.store.log.head(game)[0]

    def read_and_continue(game_id):
        found = progress(game_id)
        birk.send(game, {"type": "hide", "pennies": 1}, want=200)
        return found

    monkeypatch.setattr(world.store, "progress", read_and_continue)

    assert newest == news.of(game).position.seq
    assert newest < world.store.log.head(game)[0]


def test_who_came_and_went_keeps_nobody_from_being_told(world, monkeypatch):
    monkeypatch.setattr("service.store.redis.log.post.outbox.MOST_LISTENING", 2)
    ash, birk, mallory = (world.player(name) for name in ("Ash", "Birk", "Mallory"))
    for number in range(2):
        world.hook(mallory, f"/mallory{number}")
    world.hook(birk, "/birk")
    game = ash.make_game(visibility="public")["id"]
    mallory.post(f"/v1/games/{game}/seats", {}, want=201)
    mallory.call("DELETE", f"/v1/games/{game}/seats/2", want=204)
    birk.post(f"/v1/games/{game}/seats", {}, want=201)
    ash.start(game)
    world.post_out()

    assert world.receiver.got["/birk"]
    assert not world.receiver.got["/mallory0"]


def test_who_sat_in_costs_a_game_nothing_any_more(world, monkeypatch):
    monkeypatch.setattr("workers.post.deliveries.STRANGERS", 0)
    game, ash, birk = world.table(options={"points": 1000}, visibility="public")
    cleo = world.player("Cleo")
    hook = world.hook(cleo, "/cleo")
    sit(birk, game, cleo)
    birk.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=204)
    go_on(game, ash, birk)
    world.post_out()
    go_on(game, ash, birk)
    mend(world.store)
    go_on(game, ash, birk)

    owed = world.store.outbox.claim(range(world.store.partitions), 64, 1000)
    assert hook["id"] not in {each.subscription for each in owed}


def test_who_waits_for_the_players_to_agree_hears_of_the_game_from_the_commit_by_which_they_do(world, monkeypatch):
    monkeypatch.setattr("workers.post.deliveries.STRANGERS", 0)
    game, ash, birk = world.table(options={"points": 1000}, visibility="public", table={"substitutes": "vote"})
    cleo, dora = world.player("Cleo"), world.player("Dora")
    for player in (cleo, dora):
        world.hook(player, f"/{player.id}")
    birk.send(game, {"type": "resign"}, want=200)
    ask = f"/v1/games/{game}/seats/2/take"
    dora.post(ask, {}, want=202)
    ash.send(game, {"type": "cast_vote", "agree": False}, want=200)
    cleo.post(ask, {}, want=202)
    for _ in range(3):  # they are told nothing, for longer than strangers are
        ash.send(game, {"type": "hide", "pennies": 0})
        world.post_out()
    assert not world.receiver.got[f"/{cleo.id}"]
    ash.send(game, {"type": "cast_vote", "agree": True}, want=200)
    world.post_out()

    assert world.receiver.got[f"/{cleo.id}"], "without waiting until subscriptions are mended"
    assert not world.receiver.got[f"/{dora.id}"]
