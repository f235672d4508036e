"""Erasing an account removes all its data from the store; every game stays intact."""

from __future__ import annotations

import json

import pytest

from domain.kernel.dice import Dice
from service.audit.auditor import audit
from service.core.history import chat
from service.features.archive.mover import move
from service.store.redis.store import open_store
from service.store.shared import archive_object
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import play_out
from tests.features.chat.test_chat import say, words
from tests.features.push.test_devices import body

NAME, WORDS, WHY = "Ashlinde", "What a peculiar move", "they are peculiar"


def erased(player, name=NAME, want=204):
    return player.call("DELETE", "/v1/me", {"name": name}, want=want)


def settled(player):
    """Add some of everything that an account can have."""
    player.post("/v1/me/tokens", {"label": "a peculiar label", "scopes": ["read"]}, want=201)
    player.call("PUT", "/v1/me/preferences", {"zone": "Europe/Helsinki", "quiet": {"from": "22:00", "to": "08:00"}})
    player.post("/v1/me/feeds", {"kind": "calendar"}, want=None)
    player.post("/v1/webhooks", {"url": "https://hooks.example.org/peculiar"}, want=None)
    player.post("/v1/me/devices", body("https://push.example.net/peculiar", label="peculiar"), want=201)
    player.post("/v1/me/vacations", {"from": 4_000_000_000_000, "to": 4_000_086_400_000}, want=None)


def everything(store):
    """All bytes in the store."""
    found = []
    for name in store.wire.one("KEYS", "*"):
        kind = store.wire.one("TYPE", name)
        read = {
            b"string": ("GET", name),
            b"hash": ("HGETALL", name),
            b"zset": ("ZRANGE", name, 0, -1),
            b"set": ("SMEMBERS", name),
            b"list": ("LRANGE", name, 0, -1),
            b"stream": ("XRANGE", name, "-", "+"),
        }[kind]
        found.append(repr((name, store.wire.one(*read))))
    return "\n".join(found)


@pytest.fixture
def house(redis_store, tmp_path):
    return World(open_store(redis_store.wire.url, archive=f"file://{tmp_path}/archive"), data=tmp_path)


def test_erasure_needs_the_players_name_and_more_than_a_read_token(world):
    ash = world.player(NAME)
    for said in ({"name": NAME.lower()}, {"name": ""}, {}, {"name": NAME, "sure": True}, {"name": 7}):
        is_a_problem(ash.call("DELETE", "/v1/me", said), 422, "invalid")
    reading = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"]
    is_a_problem(type(ash)(ash.site, reading).call("DELETE", "/v1/me", {"name": NAME}), 403, "insufficient-scope")
    is_a_problem(world.public.call("DELETE", "/v1/me", {"name": NAME}), 401, "no-token")
    assert NAME == ash.get("/v1/me", want=200).json["name"]
    erased(ash)
    for token in (ash.token, reading):
        is_a_problem(type(ash)(ash.site, token).get("/v1/me"), 401, "bad-token")
    is_a_problem(world.public.get(f"/v1/players/{ash.id}"), 404, "unknown-player")


def test_a_running_game_continues_without_an_erased_player(world):
    game, ash, birk = world.table(NAME, "Birk")
    say(ash, game, WORDS)
    erased(ash)
    summary = birk.summary(game)
    assert "running" == summary["status"]
    seat = summary["seats"][0]
    assert (ash.id, "") == (seat["player"]["id"], seat["player"]["name"])
    assert ("greedy", True) == (seat["bot"], seat["vacant"]), "a bot plays until another player takes the seat"
    assert [None] == words(birk, game)
    assert NAME not in json.dumps([summary, birk.events(game), birk.view(game)])
    cyra = world.player("Cyra")
    cyra.post(f"/v1/games/{game}/seats/1/take", {}, headers={"Prefer": "wait=5"}, want=200)
    play_out([cyra, birk], game, Dice(b"c" * 32))
    assert audit(birk.get(f"/v1/games/{game}/export", want=200).body).is_ok


def test_erasure_frees_seats_in_lobbies_and_removes_own_lobbies(world):
    ash, birk = world.player(NAME), world.player("Birk")
    own = ash.make_game(seats=2)
    others = birk.make_game(seats=2)
    ash.join(others["id"], others["invitation"])
    erased(ash)
    is_a_problem(birk.get(f"/v1/games/{own['id']}"), 404, "unknown-game")
    assert [birk.id] == [seat["player"]["id"] for seat in birk.summary(others["id"])["seats"] if seat["player"]]


def test_erasure_removes_all_data_from_the_store_and_the_archive(house, tmp_path):
    ash, birk = house.player(NAME), house.player("Birk")
    settled(ash)
    games = []
    for _ in range(2):
        made = ash.make_game(seats=2)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        said = say(ash, made["id"], WORDS).json["seq"]
        say(birk, made["id"], "Indeed")
        games.append(made["id"])
    ash.post(f"/v1/games/{games[0]}/reports", {"seq": said + 1, "reason": WHY}, want=None)
    play_out([ash, birk], games[0], Dice(b"e" * 32))
    heads = {games[0]: birk.summary(games[0])["head"]}
    house.store.wire.one("DEL", house.store.keys.partition(games[0]).outbox)  # as if everything had been delivered
    assert "moved" == move(house.store, games[0]).word
    house.store.archive.forget(games[0])
    before = everything(house.store)
    assert NAME in before and "peculiar" in before and "Helsinki" in before

    erased(ash)

    after = everything(house.store)
    for word in (NAME, "peculiar", "Helsinki"):
        assert word not in after, [line[:300] for line in after.splitlines() if word in line]
    left = b"".join(
        archive_object.unpacked("g", bytes.fromhex(place.stem), place.read_bytes())
        for place in (tmp_path / "archive").rglob("*.zst")
    )
    assert WORDS.encode() not in left
    assert "moved" == move(house.store, games[0]).word, "it goes back to the archive"
    fresh = World(open_store(house.store.wire.url, archive=f"file://{tmp_path}/archive"))
    birk.site = fresh.site
    report = audit(birk.get(f"/v1/games/{games[0]}/export", want=200).body, heads=[heads[games[0]]])
    assert "authenticated" == report.verdict, "the game is whole, and the head that was kept is still its own"
    assert [None, "Indeed"] == words(birk, games[0])
    assert NAME not in birk.get(f"/v1/games/{games[0]}/events", want=200).text
    fresh.store.close()


@pytest.mark.parametrize(("step", "message"), [("the messages", WORDS), ("the account", None)])
def test_an_interrupted_erasure_can_be_repeated(world, monkeypatch, step, message):
    game, ash, birk = world.table(NAME, "Birk")
    say(ash, game, WORDS)
    owner, name = {"the messages": (chat, "erase_all"), "the account": (type(world.store.accounts), "erase")}[step]
    with monkeypatch.context() as interrupted:
        interrupted.setattr(owner, name, lambda *_: 1 / 0)
        assert 500 == erased(ash, want=None).status
    assert NAME == ash.get("/v1/me", want=200).json["name"]
    assert [message] == words(birk, game)
    erased(ash)
    is_a_problem(ash.get("/v1/me"), 401, "bad-token")
    resigned = [line for entry in birk.events(game) for line in entry["lines"] if line["type"] == "seat_resigned"]
    assert 1 == len(resigned)
    assert [None] == words(birk, game)


def test_an_erased_player_is_no_longer_a_sitter(world):
    ash, birk, cyra = world.player(NAME), world.player("Birk"), world.player("Cyra")
    made = birk.make_game(seats=2, table={"substitutes": "open"})
    cyra.join(made["id"], made["invitation"])
    birk.start(made["id"])
    ash.agrees_to_sit_for(birk)
    body = {"player": ash.id, "until": world.store.schedule.now() + 9_000_000}
    birk.post(f"/v1/games/{made['id']}/seats/1/sitter", body, want=200)
    erased(ash)
    assert [] == list(world.store.accounts.sitting_consents(ash.id))
    assert birk.summary(made["id"])["seats"][0]["sitter"] is None


def test_erasure_keeps_a_device_that_another_player_now_owns(house):
    ash, birk = house.player(NAME), house.player("Birk")
    ash.post("/v1/me/devices", body(), want=201)
    birk.post("/v1/me/devices", body(), want=201)
    erased(ash)
    assert 1 == len(birk.get("/v1/me/devices", want=200).json["devices"])
