"""Webhooks as their owner sees them: created, changed, signed, retried, abandoned, redelivered."""

from __future__ import annotations

import time

import jsonschema_rs
import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from domain.kernel.dice import Dice
from domain.registry import GAMES
from service.api_reference.document import document
from service.core.history.seating import GameHeading
from service.core.notifications.notification import EVENTS, Notification
from service.features.webhooks.formats import FORMATS
from service.features.webhooks.signatures import generate_secret
from service.features.webhooks.webhook import WebhookTerms
from service.store.ports.accounts import APP
from tests.core.http.problem import is_a_problem
from tests.core.http.test_declared import closed, deepest
from tests.driver import play_out
from tests.features.oauth.app import Browser, register
from tests.notifications.hooked import Hooked
from tests.rooms import ROOT

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def world():
    made = Hooked()
    yield made
    made.close()


@pytest.fixture
def quick():
    made = Hooked()
    yield made
    made.close()


def told(world, path="/hook"):
    return [got.json["data"] for got in world.receiver.got[path]]


def test_each_commit_is_delivered_in_order_signed_and_as_its_reader_sees_it(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    hook = world.hook(ash)
    assert (True, None, "seat", list(EVENTS)) == tuple(hook[name] for name in ("active", "game", "reader", "events"))
    made = ash.make_game(seats=2)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    for player in (ash, birk):
        player.send(made["id"], HIDE, wait=5)
    world.post_out()

    got = world.receiver.got["/hook"]
    assert all(each.verified(hook["secret"]) for each in got)
    assert len(got) == len({each.id for each in got})
    entries = ash.events(made["id"])
    assert [each["seq"] for each in entries] == [each["seq"] for each in told(world)]
    assert entries == [each["entry"] for each in told(world)]
    first = got[0].json
    assert ("your_turn", made["id"], 1) == (first["type"], first["data"]["game"], first["data"]["seat"])
    assert ["your_turn", "turn", "commit"] == first["data"]["events"]
    assert {1, 2} == {question["seat"] for question in first["data"]["questions"]}
    assert "application/json" == got[0].headers["content-type"]


def test_only_subscribed_events_are_delivered(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    world.hook(ash, "/turns", events=["your_turn"])
    made = ash.make_game(seats=2, options={"points": 1})
    game = made["id"]
    birk.join(game, made["invitation"])
    ash.start(game)
    world.hook(birk, "/end", events=["game_over"], game=game)
    for number in range(60):
        for player in (ash, birk):
            player.send(game, {"type": "hide", "pennies": number % 4}, wait=5, want=None)
        if ash.summary(game)["status"] == "over":
            break
    world.post_out()

    asked = told(world, "/turns")
    assert asked[0]["seq"] == 1
    assert all(["your_turn"] == each["events"] for each in asked)
    assert all([1] == [question["seat"] for question in each["questions"]] for each in asked)
    (over,) = told(world, "/end")
    assert ["game_over"] == over["events"]
    assert over["outcome"]["winners"] == ash.summary(game)["outcome"]["winners"]


def test_chat_formats_contain_escaped_text_for_the_public(world):
    game, ash, birk = world.table("As*h", "<@1>")
    for format_ in ("discord", "slack", "text"):
        assert "public" == world.hook(ash, f"/{format_}", format=format_)["reader"]
    ash.send(game, HIDE, wait=5)
    birk.send(game, HIDE, wait=5)
    world.post_out()

    got = world.receiver.got
    discord, slack, text = (got[f"/{name}"] for name in ("discord", "slack", "text"))
    assert discord[0].json["allowed_mentions"] == {"parse": []}
    assert "As\\*h" in discord[0].json["content"]
    said = "\n".join(each.json["text"] for each in slack)
    assert "&lt;" in said or "<" not in said
    assert "As*h" in text[0].body.decode()
    assert text[0].headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(("web", "page"), [("on", "/games/{}"), ("off", "/v1/games/{}/events?digest=turn")])
def test_chat_message_names_the_game_and_links_to_it_if_it_is_public(web, page):
    world = Hooked(public_url="https://games.example.org", web=web)
    try:
        ash, birk = world.player("As*h"), world.player("Birk")
        games = {}
        for kind in ("public", "private"):
            made = ash.make_game("nim", 2, visibility=kind, title="Friday")
            game = games[kind] = made["id"]
            birk.join(game, made["invitation"])
            for format_ in ("discord", "slack", "text"):
                world.hook(ash, f"/{kind}/{format_}", format=format_, game=game)
            world.hook(ash, f"/{kind}/own", format="text", reader="seat", game=game)
            ash.start(game)
        world.post_out()
        got = world.receiver.got
        where = "https://games.example.org" + page.format(games["public"])
        (discord,) = got["/public/discord"]
        assert discord.json["content"].startswith(f"**[Friday \\(Nim with As\\*h and Birk\\)]({where})**\n")
        (slack,) = got["/public/slack"]
        assert (
            slack.json["text"].startswith("Friday (Nim with As*h and Birk)\n"),
            slack.json["text"].endswith(f"\n{where}"),
        ) == (
            True,
            True,
        )
        (text,) = got["/public/text"]
        lines = text.body.decode().splitlines()
        assert ("Friday (Nim with As*h and Birk)", where) == (lines[0], lines[-1])
        (own,) = got["/public/own"]
        assert "Friday (Nim with Birk)" == own.body.decode().splitlines()[0]
        for each in ("discord", "slack", "text", "own"):
            (closed,) = got[f"/private/{each}"]
            assert b"http" not in closed.body
            assert games["private"].encode() not in closed.body
    finally:
        world.close()


def test_discord_message_shows_the_deadline_in_the_readers_time_zone(world):
    ash, other = world.player("Ash"), world.player("<t:1:f>")
    made = ash.make_game(seats=2, pace={"mode": "per_question", "hours": 24})
    other.join(made["id"], made["invitation"])
    for format_ in ("discord", "slack"):
        world.hook(ash, f"/{format_}", format=format_)
    ash.start(made["id"])
    world.post_out()
    due = {turn["deadline"] for turn in ash.turns()}.pop() // 1000
    (discord,), (slack,) = world.receiver.got["/discord"], world.receiver.got["/slack"]
    assert f"Deadline\\: <t:{due}:f>." in discord.json["content"]
    assert "UTC" not in discord.json["content"]
    assert "<t:1:f>" not in discord.json["content"], "nobody's name is an instant"
    assert "UTC" in slack.json["text"]


def test_link_in_a_shortened_message_is_never_cut_off():
    word = Notification(
        "msg_1",
        "g1",
        "nim",
        GameHeading("Friday", (), "Friday (Nim)"),
        2,
        0,
        None,
        ("turn",),
        None,
        (),
        None,
        "long " * 2000,
    )
    for format_ in ("discord", "slack", "text"):
        _, body = FORMATS[format_].render(word, "https://games.example.org/g1")
        assert b"https://games.example.org/g1" in body
        assert len(body) < 3100


def test_pending_question_names_the_player_except_to_the_player(world):
    game, ash, birk = world.table("Ash", "Birk")
    world.hook(ash, "/seat")
    world.hook(ash, "/channel", format="text")
    for player in (ash, birk):
        player.send(game, HIDE, wait=5)
    world.post_out()

    asking = [data for data in told(world, "/seat") if data["questions"]]
    assert asking
    for data in asking:
        own, others = (
            [each["text"] for each in data["questions"] if (each["seat"] == 1) == mine] for mine in (True, False)
        )
        assert others == [f"Birk: {text}" for text in own]
        assert data["text"].endswith(" ".join([*own, *others]))
    channel = [got.body.decode() for got in world.receiver.got["/channel"]]
    assert any(f"Ash: {own[0]} Birk: {own[0]}" in text for text in channel)


def test_failed_event_is_retried_with_the_same_id_before_later_events(world):
    game, ash, birk = world.table()
    hook = world.hook(ash)
    answers = iter([500, 302, 204])
    world.receiver.act["/hook"] = lambda *_: next(answers, 204)
    ash.send(game, HIDE, wait=5)
    birk.send(game, HIDE, wait=5)
    world.post_out()

    got = world.receiver.got["/hook"]
    seqs = [each.json["data"]["seq"] for each in got]
    assert sorted(seqs) == seqs
    assert 1 == len({each.id for each in got[:3]})
    noted = ash.get(f"/v1/webhooks/{hook['id']}/deliveries").json["deliveries"][::-1]
    assert [("failed", 500, 1), ("failed", 302, 2), ("delivered", 204, 3)] == [
        (each["state"], each["status"], each["attempt"]) for each in noted[:3]
    ]
    assert noted[0]["next_attempt_at"] is not None


def test_abandoned_event_disables_the_webhook_until_its_owner_enables_it(world):
    game, ash, birk = world.table()
    hook = world.hook(ash)
    path = f"/v1/webhooks/{hook['id']}"
    world.receiver.act["/hook"] = lambda *_: 503
    ash.send(game, HIDE, wait=5)
    world.post_out()

    assert 3 == len(world.receiver.got["/hook"]), "once, and twice more"
    (dead,) = ash.get(f"{path}/deliveries", state="dead").json["deliveries"]
    assert ("dead", 503, 3, None) == tuple(dead[name] for name in ("state", "status", "attempt", "next_attempt_at"))
    assert (False, "failing") == tuple(ash.get(path).json[name] for name in ("active", "disabled_reason"))
    assert 1 == world.store.outbox.census().dead

    birk.send(game, HIDE, wait=5)
    world.post_out()
    assert 3 == len(world.receiver.got["/hook"])

    world.receiver.act.clear()
    assert (True, None) == tuple(
        ash.call("PATCH", path, {"active": True}, want=200).json[n] for n in ("active", "disabled_reason")
    )
    ash.post(f"{path}/deliveries/{dead['id']}/redeliver", want=202)
    ash.send(game, HIDE, wait=5)
    world.post_out()
    again, *rest = world.receiver.got["/hook"][3:]
    assert {dead["id"]} <= {each.id for each in (again, *rest)}
    assert all(each.verified(hook["secret"]) for each in (again, *rest))


def test_status_410_ends_all_deliveries_to_a_receiver(world):
    game, ash, birk = world.table()
    hook = world.hook(ash)
    world.receiver.act["/hook"] = lambda *_: 410
    ash.send(game, HIDE, wait=5)
    birk.send(game, HIDE, wait=5)
    world.post_out()

    assert 1 == len(world.receiver.got["/hook"])
    assert "gone" == ash.get(f"/v1/webhooks/{hook['id']}").json["disabled_reason"]


def test_single_event_that_always_fails_does_not_disable_the_webhook(monkeypatch):
    monkeypatch.setattr("service.features.notifications.dispatcher.RECLAIM_MILLISECONDS", 200)
    world = Hooked(webhook_retries=("1", "1"))
    ash = world.player("Ash")
    hook = world.hook(ash, events=["commit"])
    games = []
    for _ in range(2):
        made = ash.make_game(seats=2)
        ash.seat_bot(made["id"])
        ash.start(made["id"])
        games.append(made["id"])
    world.receiver.act["/hook"] = lambda got, _: (
        500 if (got.json["data"]["game"], got.json["data"]["seq"]) == (games[0], 1) else 204
    )
    world.post_out()
    ash.send(games[1], HIDE, wait=5)
    while world.store.outbox.census().pending:
        time.sleep(0.1)
        world.post_out()

    path = f"/v1/webhooks/{hook['id']}"
    dead = ash.get(f"{path}/deliveries", state="dead").json["deliveries"]
    assert [(games[0], 1)] == [(each["game"], each["seq"]) for each in dead]
    assert ash.get(path).json["active"]
    for game in games:
        seqs = list(dict.fromkeys(each["seq"] for each in told(world) if each["game"] == game))
        assert [entry["seq"] for entry in ash.events(game)] == seqs
    world.close()


def test_deliveries_above_the_account_rate_limit_are_postponed():
    world = Hooked(rate_webhooks=2)
    game, ash, birk = world.table()
    world.hook(ash)
    for player in (ash, birk):
        player.send(game, HIDE, wait=5)
    world.post_out()

    assert 2 == len(world.receiver.got["/hook"])
    assert (1, 0) == (world.store.outbox.census().pending, world.store.outbox.census().dead)
    world.close()


@pytest.mark.soak
def test_webhook_events_of_battalia_match_the_history_of_the_same_reader():
    world = Hooked(rate_webhooks=0, webhooks=0)
    ash, birk = world.player("Ash"), world.player("Birk")
    for player in (ash, birk):
        for format_, reader in (("json", "seat"), ("json", "public"), ("text", "public"), ("text", "seat")):
            path = f"/{player.name}/{format_}/{reader}"
            world.hook(player, path, format=format_, reader=reader, events=["commit"])
    game = ash.make_game("battalia", seats=2)["id"]
    birk.join(game)
    ash.start(game)
    dice = Dice(b"w" * 32)
    for _ in range(80):
        for player in (ash, birk):
            player.move(game, dice, want=None)
    world.post_out(60)

    for player in (ash, birk):
        words = {
            (format_, reader): world.receiver.got[f"/{player.name}/{format_}/{reader}"]
            for format_ in ("json", "text")
            for reader in ("seat", "public")
        }
        for reader, history in (("seat", player.events(game)), ("public", world.public.events(game))):
            told_there = [got.json["data"] for got in words["json", reader]]
            assert history == [data["entry"] for data in told_there]
            assert [data["text"] for data in told_there if data["text"]] == [
                got.body.decode().split("\n", 1)[1].removesuffix("\n") for got in words["text", reader]
            ]
    world.close()


def test_both_secrets_sign_until_the_old_one_expires(world):
    game, ash, _ = world.table()
    hook = world.hook(ash)
    path = f"/v1/webhooks/{hook['id']}"
    second = ash.post(f"{path}/secret", want=201).json
    assert second["secret"] != hook["secret"]
    assert second["old_secret_until"] == ash.get(path).json["old_secret_until"]
    ash.send(game, HIDE, wait=5)
    world.post_out()
    got = world.receiver.got["/hook"][0]
    assert got.verified(hook["secret"]) and got.verified(second["secret"])
    with pytest.raises(WebhookVerificationError):
        got.verified("whsec_" + "QUFB" * 8)
    forged = {**got.headers, "webhook-id": "msg_other"}
    with pytest.raises(WebhookVerificationError):
        Verifier(second["secret"]).verify(got.body, forged)

    third = ash.post(f"{path}/secret", {"hours": 0}, want=201).json
    ash.post(f"{path}/test", want=202)
    world.post_out()
    got = world.receiver.got["/hook"][-1]
    assert got.verified(third["secret"])
    for old in (hook, second):
        with pytest.raises(WebhookVerificationError):
            got.verified(old["secret"])
    assert all("secret" not in ash.get(each).json for each in (path, f"{path}/deliveries"))
    assert all(each["secret"] not in ash.get("/v1/webhooks").text for each in (hook, second, third))


def test_secret_rotation_keeps_a_concurrent_change(world, monkeypatch):
    ash = world.player()
    hook = ash.post("/v1/webhooks", {"url": GOOD}, want=201).json
    path = f"/v1/webhooks/{hook['id']}"

    def made():
        ash.call("PATCH", path, {"label": "mine"}, want=200)
        return generate_secret()

    monkeypatch.setattr("service.features.webhooks.api.generate_secret", made)
    secret = ash.post(f"{path}/secret", {}, want=201).json["secret"]

    webhook = WebhookTerms.from_subscription(world.store.subscriptions.get(hook["id"]))
    assert ("mine", secret) == (webhook.label, webhook.secrets[0][0])


@pytest.mark.parametrize("format_", ["json", "discord", "slack", "text"])
def test_event_is_sent_once_in_the_format_of_an_inactive_webhook(quick, format_):
    ash = quick.player("Ash")
    hook = quick.hook(ash, format=format_)
    path = f"/v1/webhooks/{hook['id']}"
    ash.call("PATCH", path, {"active": False}, want=200)
    word = ash.post(f"{path}/test", want=202).json["id"]
    quick.post_out()

    (got,) = quick.receiver.got["/hook"]
    assert (word, True) == (got.id, b"This is a test" in got.body)
    if format_ == "json":
        assert "test" == got.verified(hook["secret"])["type"]
    (noted,) = ash.get(f"{path}/deliveries").json["deliveries"]
    assert (word, "test", None, "delivered") == tuple(noted[name] for name in ("id", "event", "game", "state"))


def test_inactive_webhook_gets_no_event_from_its_inactive_time(world):
    game, ash, birk = world.table()
    path = f"/v1/webhooks/{world.hook(ash)['id']}"
    ash.call("PATCH", path, {"active": False}, want=200)
    ash.send(game, HIDE, wait=5)
    ash.call("PATCH", path, {"active": True}, want=200)
    birk.send(game, HIDE, wait=5)
    world.post_out()

    assert [each["seq"] for each in birk.events(game)][-1] == told(world)[0]["seq"] + len(told(world)) - 1
    assert told(world)[0]["seq"] > 2


def test_webhook_update_changes_only_named_fields_and_delete_is_final(world):
    game, ash, _ = world.table()
    hook = world.hook(ash, label="one")
    path = f"/v1/webhooks/{hook['id']}"
    changed = ash.call(
        "PATCH", path, {"url": world.receiver.url("/other"), "events": ["commit"], "format": "text"}, want=200
    )
    assert (["commit"], "text", "seat", "one") == tuple(
        changed.json[name] for name in ("events", "format", "reader", "label")
    )
    assert [changed.json] == ash.get("/v1/webhooks").json["webhooks"]
    assert changed.json == ash.get(path).json

    ash.call("DELETE", path, want=204)
    ash.send(game, HIDE, wait=5)
    world.post_out()
    assert not world.receiver.got
    is_a_problem(ash.get(path), 404, "unknown-webhook")
    assert 0 == world.store.outbox.census().pending


def test_webhook_of_a_game_gets_no_event_of_another_game(world):
    game, ash, _ = world.table()
    world.hook(ash, game=game)
    second = ash.make_game(seats=2)["id"]
    ash.seat_bot(second)
    ash.start(second)
    ash.send(game, HIDE, wait=5)
    world.post_out()

    assert {game} == {each["game"] for each in told(world)}


def test_owner_who_left_the_game_gets_no_event(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    world.hook(birk)
    made = ash.make_game(seats=2, visibility="private")
    birk.join(made["id"], made["invitation"])
    birk.call("DELETE", f"/v1/games/{made['id']}/seats/2", want=204)
    cid = world.player("Cid")
    cid.join(made["id"], made["invitation"])
    ash.start(made["id"])
    world.post_out()

    assert not world.receiver.got


# -- bad input --------------------------------------------------------------------------------------------------------

GOOD = "https://example.org/hook"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/url"),
        ({"url": ""}, "/url"),
        ({"url": 7}, "/url"),
        ({"url": None}, "/url"),
        ({"url": "http://10.0.0.1/"}, "/url"),
        ({"url": "http://user:word@example.org/"}, "/url"),
        ({"url": "http://[::ffff:8.8.8.8]/"}, "/url"),
        ({"url": "ftp://example.org/"}, "/url"),
        ({"url": "http://example.org:25/"}, "/url"),
        ({"url": GOOD, "format": "xml"}, "/format"),
        ({"url": GOOD, "format": None}, "/format"),
        ({"url": GOOD, "events": []}, "/events"),
        ({"url": GOOD, "events": ["end"]}, "/events/0"),
        ({"url": GOOD, "events": "commit"}, "/events"),
        ({"url": GOOD, "events": ["commit"] * (len(EVENTS) + 1)}, "/events"),
        ({"url": GOOD, "reader": "birk"}, "/reader"),
        ({"url": GOOD, "label": "x" * 81}, "/label"),
        ({"url": GOOD, "game": ""}, "/game"),
        ({"url": GOOD, "game": 1}, "/game"),
        ({"url": GOOD, "secret": "whsec_mine"}, "/secret"),
    ],
)
def test_invalid_field_is_422_with_a_pointer_and_creates_no_webhook(body, pointer):
    strict = Hooked(webhook_networks=(), webhook_ports=("80", "443"))
    ash = strict.player("Ash")

    assert pointer == is_a_problem(ash.post("/v1/webhooks", body), 422, "invalid")["pointer"]
    assert [] == ash.get("/v1/webhooks").json["webhooks"]
    strict.close()


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"url": "http://127.0.0.1@example.org/"}, "/url"),
        ({"format": 1}, "/format"),
        ({"events": [1]}, "/events/0"),
        ({"reader": "all"}, "/reader"),
        ({"label": 1}, "/label"),
        ({"active": "yes"}, "/active"),
        ({"game": "g1"}, "/game"),
        ({"id": "w1"}, "/id"),
    ],
)
def test_invalid_update_changes_nothing(quick, body, pointer):
    ash = quick.player("Ash")
    hook = quick.hook(ash)
    path = f"/v1/webhooks/{hook['id']}"
    before = ash.get(path).json

    assert pointer == is_a_problem(ash.call("PATCH", path, body), 422, "invalid")["pointer"]
    assert before == ash.get(path).json


@pytest.mark.parametrize("hours", [-1, 169, "1", 1.5, None, True])
def test_invalid_hours_create_no_secret(quick, hours):
    ash = quick.player("Ash")
    path = f"/v1/webhooks/{quick.hook(ash)['id']}"

    assert "/hours" == is_a_problem(ash.post(f"{path}/secret", {"hours": hours}), 422, "invalid")["pointer"]
    assert ash.get(path).json["old_secret_until"] is None


def test_webhook_is_hidden_from_others_and_read_only_for_read_scope(quick):
    ash, birk = quick.player("Ash"), quick.player("Birk")
    hook = quick.hook(ash)
    path = f"/v1/webhooks/{hook['id']}"
    asked = [
        ("GET", path, None),
        ("PATCH", path, {}),
        ("POST", f"{path}/secret", {}),
        ("POST", f"{path}/test", {}),
        ("GET", f"{path}/deliveries", None),
        ("POST", f"{path}/deliveries/msg_1/redeliver", {}),
        ("DELETE", path, None),
    ]
    for method, where, body in asked:
        is_a_problem(birk.call(method, where, body), 404, "unknown-webhook")
        is_a_problem(quick.public.call(method, where, body), 401, "no-token")
    token = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"]
    reader = type(ash)(ash.site, token)
    for method, where, body in asked:
        if method != "GET":
            is_a_problem(reader.call(method, where, body), 403, "insufficient-scope")
    is_a_problem(reader.post("/v1/webhooks", {"url": GOOD}), 403, "insufficient-scope")
    assert 1 == len(reader.get("/v1/webhooks", want=200).json["webhooks"])
    assert [] == birk.get("/v1/webhooks").json["webhooks"]


def test_webhook_for_a_game_of_others_is_refused(quick):
    game, *_ = quick.table()
    hidden, *_ = quick.table(visibility="private")
    cid = quick.player("Cid")

    assert "/game" == is_a_problem(cid.post("/v1/webhooks", {"url": GOOD, "game": game}), 422, "invalid")["pointer"]
    is_a_problem(cid.post("/v1/webhooks", {"url": GOOD, "game": hidden}), 404, "unknown-game")
    is_a_problem(cid.post("/v1/webhooks", {"url": GOOD, "game": "nothing"}), 404, "unknown-game")
    assert [] == cid.get("/v1/webhooks").json["webhooks"]


def test_webhook_for_a_finished_game_is_refused(quick):
    game, ash, birk = quick.table()
    for player in (ash, birk):
        player.send(game, {"type": "resign"}, wait=5)
    quick.work(game)
    if ash.summary(game)["status"] != "over":
        pytest.fail("the bots have not ended it")

    is_a_problem(ash.post("/v1/webhooks", {"url": GOOD, "game": game}), 409, "game-over")
    assert [] == ash.get("/v1/webhooks").json["webhooks"]


def test_webhooks_and_test_events_per_account_are_limited(monkeypatch):
    few = Hooked(webhooks=2)
    ash = few.player("Ash")
    hooks = [few.hook(ash) for _ in range(2)]
    refused = ash.post("/v1/webhooks", {"url": few.receiver.url()})
    is_a_problem(refused, 429, "too-many-webhooks")
    ash.call("DELETE", f"/v1/webhooks/{hooks[0]['id']}", want=204)
    few.hook(ash)
    monkeypatch.setattr("service.features.webhooks.deliveries_api.ASKED", 2)
    path = f"/v1/webhooks/{hooks[1]['id']}"
    for _ in range(2):
        ash.post(f"{path}/test", want=202)
    is_a_problem(ash.post(f"{path}/test"), 429, "too-many-requests")
    few.close()


def test_delivery_without_a_game_event_cannot_be_redelivered(quick):
    ash = quick.player("Ash")
    path = f"/v1/webhooks/{quick.hook(ash)['id']}"
    word = ash.post(f"{path}/test", want=202).json["id"]
    quick.post_out()

    for id_ in ("msg_nothing", word):
        is_a_problem(ash.post(f"{path}/deliveries/{id_}/redeliver"), 404, "unknown-delivery")
    is_a_problem(ash.get(f"{path}/deliveries", state="lost"), 422, "invalid")
    is_a_problem(ash.post(f"{path}/test", {"when": "now"}), 422, "invalid")


def test_same_idempotency_key_creates_one_webhook(quick):
    ash = quick.player("Ash")
    made = [
        ash.post("/v1/webhooks", {"url": quick.receiver.url()}, headers={"Idempotency-Key": "k1"}, want=201).json
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert 1 == len(ash.get("/v1/webhooks").json["webhooks"])


def test_posted_events_match_the_schema_in_the_contract(quick):
    ash, birk = quick.player("Ash"), quick.player("Birk")
    hook = quick.hook(ash)
    quick.hook(birk, "/public", reader="public")
    made = ash.make_game("nim", 2)
    game = made["id"]
    birk.join(game, made["invitation"])
    quick.post_out()
    ash.start(game)
    play_out([ash, birk], game, Dice(b"w" * 32))
    ash.post(f"/v1/webhooks/{hook['id']}/test", want=202)
    quick.post_out()

    schemas = closed(document(quick.app), GAMES["nim"])
    event = jsonschema_rs.Draft202012Validator({**schemas, "$ref": "#/components/schemas/WebhookEvent"})
    got = [each.json for path in ("/hook", "/public") for each in quick.receiver.got[path]]
    assert {"game_full", "your_turn", "game_over", "test"} <= {each["type"] for each in got}
    assert [] == [deepest(error) for each in got for error in event.iter_errors(each)]
    (told,) = [each["data"] for each in got if each["type"] == "game_over" and each["data"]["seat"] is not None]
    assert [] != [deepest(error) for error in event.iter_errors({"type": "game_over", "data": {**told, "more": 1}})]


def test_page_about_webhooks_and_its_readers_know_every_format(world):
    text = (ROOT / "docs/how-to/receive-webhooks.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| `format` |"))

    assert [*FORMATS] == row.split("|")[2].split("`")[1::2]
    assert {name: each.title for name, each in FORMATS.items()} == world.player("Ash").get("/v1/webhooks").json[
        "formats"
    ]


def test_webhook_of_an_app_ends_when_the_app_is_disconnected(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    app, browser = register(world, birk), Browser(world, ash)
    tokens = app.connect(browser, scope="games:read webhooks:write")
    world.hook(app.player(tokens, browser))
    world.hook(ash, "/own")
    made = ash.make_game(seats=2)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    world.post_out()
    before = len(told(world))

    (connection,) = ash.get("/v1/me/apps", want=200).json["apps"]
    ash.call("DELETE", f"/v1/me/apps/{connection['id']}", want=204)
    ash.send(made["id"], HIDE, wait=5)
    world.post_out()

    assert 0 < before == len(told(world)) < len(told(world, "/own"))
    assert [world.receiver.url("/own")] == [each["url"] for each in ash.get("/v1/webhooks", want=200).json["webhooks"]]


def test_webhook_of_a_connected_app_goes_on_when_its_access_token_expires(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    app, browser = register(world, birk), Browser(world, ash)
    tokens = app.connect(browser, scope="games:read webhooks:write")
    world.hook(app.player(tokens, browser))
    for each in world.store.accounts.tokens(ash.id):
        if each.kind == APP:
            world.store.accounts.revoke(ash.id, each.id)
    made = ash.make_game(seats=2)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    world.post_out()

    assert told(world)
