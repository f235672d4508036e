"""Seats change players: events go to the player who has the seat at delivery, and no one else sees its secrets."""

from __future__ import annotations

import pytest

from service.core.notifications.game_subscriptions import reconcile
from service.core.notifications.recent_commits import RecentCommits
from service.core.positions.cache import Positions
from tests.features.substitutes.test_substitutes import game_with_an_empty_seat, go_on, secrets_of, sit, take
from tests.notifications.hooked import Hooked


@pytest.fixture
def world():
    made = Hooked()
    yield made
    made.close()


def entries(world, path):
    return [got.json["data"]["entry"] for got in world.receiver.got[path] if got.json["data"]["entry"]]


def test_new_player_of_a_seat_gets_its_events_and_the_previous_one_does_not(world):
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


def test_player_who_takes_a_seat_is_named_although_news_was_read_just_before(world):
    game, *_ = game_with_an_empty_seat(world)
    news = RecentCommits(world.store, Positions(world.store))
    assert "Cleo" not in news.load_game(game).names.values()
    take(world.player("Cleo"), game)

    assert "Cleo" == news.load_game(game).names[2]


def test_delayed_event_is_not_sent_to_a_player_who_lost_the_seat(world):
    game, ash, birk = world.table(options={"points": 1000}, visibility="public")
    world.hook(birk, "/birk")
    birk.send(game, {"type": "hide", "pennies": 1}, want=200)
    ash.send(game, {"type": "hide", "pennies": 1}, want=200)
    birk.send(game, {"type": "resign"}, want=200)
    take(world.player("Cleo"), game)
    world.post_out()

    assert [] == world.receiver.got["/birk"]


def test_sitter_gets_events_only_while_sitting(world):
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


def test_news_contains_no_commit_after_the_seats_were_read(world, monkeypatch):
    """Otherwise the previous player could see the cards of a player who took the seat in the meantime."""
    game, ash, birk = world.table(options={"points": 1000})
    news, progress = RecentCommits(world.store, Positions(world.store)), world.store.progress
    news.load_game(game)
    ash.send(game, {"type": "hide", "pennies": 1}, want=200)
    newest = world.store.log.head(game)[0]

    def read_and_continue(game_id):
        found = progress(game_id)
        birk.send(game, {"type": "hide", "pennies": 1}, want=200)
        return found

    monkeypatch.setattr(world.store, "progress", read_and_continue)

    assert newest == news.load_game(game).position.seq
    assert newest < world.store.log.head(game)[0]


def test_former_player_uses_no_subscription_slot_of_a_game(world, monkeypatch):
    monkeypatch.setattr("service.store.redis.log.outbox.MAX_SUBSCRIPTIONS_PER_GAME", 2)
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


def test_former_sitter_is_removed_from_the_subscriptions_of_a_game(world, monkeypatch):
    monkeypatch.setattr("service.core.notifications.deliveries.UNRELATED_MILLISECONDS", 0)
    game, ash, birk = world.table(options={"points": 1000}, visibility="public")
    cleo = world.player("Cleo")
    hook = world.hook(cleo, "/cleo")
    sit(birk, game, cleo)
    birk.call("DELETE", f"/v1/games/{game}/seats/2/sitter", want=204)
    go_on(game, ash, birk)
    world.post_out()
    go_on(game, ash, birk)
    reconcile(world.store)
    go_on(game, ash, birk)

    owed = world.store.outbox.claim(range(world.store.partitions), 64, 1000)
    assert hook["id"] not in {each.subscription for each in owed}


def test_substitute_gets_events_from_the_commit_of_the_successful_vote(world, monkeypatch):
    monkeypatch.setattr("service.core.notifications.deliveries.UNRELATED_MILLISECONDS", 0)
    game, ash, birk = world.table(options={"points": 1000}, visibility="public", table={"substitutes": "vote"})
    cleo, dora = world.player("Cleo"), world.player("Dora")
    for player in (cleo, dora):
        world.hook(player, f"/{player.id}")
    birk.send(game, {"type": "resign"}, want=200)
    ask = f"/v1/games/{game}/seats/2/take"
    dora.post(ask, {}, want=202)
    ash.send(game, {"type": "cast_vote", "agree": False}, want=200)
    cleo.post(ask, {}, want=202)
    for _ in range(3):  # they get nothing, for more commits than strangers stay subscribed
        ash.send(game, {"type": "hide", "pennies": 0})
        world.post_out()
    assert not world.receiver.got[f"/{cleo.id}"]
    ash.send(game, {"type": "cast_vote", "agree": True}, want=200)
    world.post_out()

    assert world.receiver.got[f"/{cleo.id}"], "without waiting until subscriptions are mended"
    assert not world.receiver.got[f"/{dora.id}"]
