"""Push notifications from the event to the browser: schedule, encryption, and unsubscription."""

from __future__ import annotations

import pytest

from service.features.push import handler
from tests.clock import StoreClock
from tests.core.http.problem import is_a_problem
from tests.hostile.table import erase
from tests.notifications.pushed import Browser, Pushing, vouched
from tests.notifications.test_email import CLOCK, HIDE, HOUR, MINUTE

LONG = 300


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Expect no player to be online because of a recent move."""
    monkeypatch.setattr(handler, "ONLINE_MILLISECONDS", 0)


@pytest.fixture
def clock(monkeypatch):
    return StoreClock(monkeypatch)


@pytest.fixture
def world(tmp_path):
    made = Pushing(tmp_path)
    yield made
    made.close()


def round_of(world, game, *players):
    for player in players:
        player.send(game, HIDE, want=200)


def test_pending_question_causes_a_notification_encrypted_for_one_browser(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    browser = world.browser(ash, label="desk")
    made = ash.make_game(seats=2, pace=CLOCK)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    world.carry()

    (got,) = world.receiver.got["/push/1"]
    (told,) = browser.notices

    assert ("asked", made["id"], f"/games/{made['id']}") == (told["kind"], told["game"], told["path"])
    assert "Birk" in told["title"] and "Hide" in told["text"]
    assert b"Birk" not in got.body and made["id"].encode() not in got.body
    key = ash.get("/v1/push", want=200).json["key"]
    claims = vouched(got, key)
    assert f"http://127.0.0.1:{world.receiver.port}" == claims["aud"]
    assert "https://games.example.org" == claims["sub"]
    assert 0 < claims["exp"] - world.store.schedule.now() // 1000 <= 24 * 3600
    sent = {name: got.headers[name] for name in ("content-encoding", "urgency")}
    assert {"content-encoding": "aes128gcm", "urgency": "normal"} == sent
    assert 24 * 3600 - LONG < int(got.headers["ttl"]) <= 24 * 3600, "until the deadline, and no longer"
    assert 24 == len(got.headers["topic"]) <= 32
    (device,) = ash.get("/v1/me/devices", want=200).json["devices"]
    assert ("desk", True, "127.0.0.1") == (device["label"], device["active"], device["service"])
    assert [("delivered", told["id"], 204)] == [(x["state"], x["id"], x["status"]) for x in device["notifications"]]


def test_notifications_of_one_game_share_a_topic_and_other_games_do_not(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    world.browser(ash)
    games = [ash.make_game(seats=2) for _ in range(2)]
    for made in games:
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        world.carry()
    round_of(world, games[0]["id"], ash, birk)
    world.carry()

    first, other, again = [each.headers["topic"] for each in world.receiver.got["/push/1"]]

    assert first == again != other


def test_reminders_are_pushed_at_half_and_a_tenth_of_the_time_if_wanted(world, clock):
    ash, birk = world.player("Ash"), world.player("Birk")
    one, other = world.browser(ash, "/one"), world.browser(ash, "/other", reminders=False)
    made = ash.make_game(seats=2, pace=CLOCK)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    for _ in range(23):
        world.carry()
        clock.forward(HOUR)

    assert ["asked", "half", "tenth"] == [each["kind"] for each in one.notices]
    assert ["asked"] == [each["kind"] for each in other.notices]
    assert "Half of your time has passed." in one.notices[1]["text"]
    assert ["normal", "normal", "high"] == [each.headers["urgency"] for each in world.receiver.got["/one"]]
    assert 3 == len({each["id"] for each in one.notices})


def test_player_who_answers_in_time_gets_no_notification(world, monkeypatch, clock):
    monkeypatch.setattr(handler, "ONLINE_MILLISECONDS", 2 * MINUTE)
    ash, birk = world.player("Ash"), world.player("Birk")
    browser = world.browser(ash)
    made = ash.make_game(seats=2)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    round_of(world, made["id"], ash, birk)
    world.carry()
    assert [] == [each["kind"] for each in browser.notices], "they moved a moment ago, and are looking at it"

    clock.forward(MINUTE)
    round_of(world, made["id"], ash)
    clock.forward(5 * MINUTE)
    world.carry()

    assert [] == browser.notices


def test_notification_waits_for_the_end_of_quiet_hours(world, clock):
    ash, birk = world.player("Ash"), world.player("Birk")
    hour = world.store.schedule.now() // HOUR % 24
    quiet = {"from": f"{hour:02}:00", "to": f"{(hour + 3) % 24:02}:00"}
    ash.call("PUT", "/v1/me/preferences", {"zone": "UTC", "quiet": quiet}, want=200)
    browser = world.browser(ash)
    made = ash.make_game(seats=2)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    world.carry()
    assert [] == browser.notices

    clock.forward(3 * HOUR)
    world.carry()

    assert ["asked"] == [each["kind"] for each in browser.notices]


def test_game_over_notification_is_sent_only_to_players_who_did_not_end_the_game(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    mine, theirs = world.browser(ash, "/ash"), world.browser(birk, "/birk")
    made = ash.make_game(seats=2, options={"points": 1000})
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    birk.send(made["id"], {"type": "call_vote", "kind": "concede", "seat": 1}, want=200)
    world.carry()

    assert ["over"] == [each["kind"] for each in mine.notices]
    assert "you have won" in mine.notices[0]["text"]
    assert [] == theirs.notices
    assert "low" == world.receiver.got["/ash"][0].headers["urgency"]


@pytest.mark.parametrize("status", [404, 410])
def test_device_unknown_to_its_push_service_is_deleted(world, status):
    world.receiver.act["/push/1"] = lambda *_: status
    game, ash, birk = started(world)
    world.carry()
    round_of(world, game, ash, birk)
    world.carry()

    assert 1 == len(world.receiver.got["/push/1"])
    assert [] == ash.get("/v1/me/devices", want=200).json["devices"]


def started(world, **told):
    """Start a game of Ash, who has push notifications on, with Birk."""
    ash, birk = world.player("Ash"), world.player("Birk")
    world.browser(ash)
    made = ash.make_game(seats=2, **told)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    return made["id"], ash, birk


@pytest.mark.parametrize("status", [401, 403])
def test_device_refused_by_its_push_service_is_disabled_until_re_enabled(world, status):
    world.receiver.act["/push/1"] = lambda *_: status
    game, ash, birk = started(world)
    world.carry()
    round_of(world, game, ash, birk)
    world.carry()

    assert 1 == len(world.receiver.got["/push/1"])
    (device,) = ash.get("/v1/me/devices", want=200).json["devices"]
    assert (False, "refused") == (device["active"], device["disabled_reason"])

    world.receiver.act.clear()
    browser = world.browser(ash, want=200)
    round_of(world, game, ash, birk)
    world.carry()

    assert 1 == len([each for each in world.receiver.got["/push/1"][1:] if browser.opened(each)])
    (device,) = ash.get("/v1/me/devices", want=200).json["devices"]
    assert (True, None) == (device["active"], device["disabled_reason"])


@pytest.mark.parametrize("status", [400, 413])
def test_rejected_notification_is_not_retried_but_the_next_one_is_sent(world, status):
    world.receiver.act["/push/1"] = lambda *_: status
    game, ash, birk = started(world)
    world.carry()
    world.carry()
    assert 1 == len(world.receiver.got["/push/1"])

    world.receiver.act.clear()
    round_of(world, game, ash, birk)
    world.carry()

    assert 2 == len(world.receiver.got["/push/1"])
    (device,) = ash.get("/v1/me/devices", want=200).json["devices"]
    assert ["delivered", "dead"] == [each["state"] for each in device["notifications"]]


def busy(seconds):
    def act(_, handler):
        handler.send_response(429)
        handler.send_header("Retry-After", str(seconds))
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return act


def test_failed_notification_is_retried_with_the_same_id_until_its_deadline(world, clock):
    world.receiver.act["/push/1"] = lambda *_: 503
    _, ash, _ = started(world, pace=CLOCK)
    world.carry()
    clock.forward(MINUTE)
    world.carry()
    world.receiver.act["/push/1"] = busy(600)
    clock.forward(10 * MINUTE)
    world.carry()
    clock.forward(9 * MINUTE)
    world.carry()
    assert 3 == len(world.receiver.got["/push/1"]), "it asked for ten minutes"
    world.receiver.act.clear()
    clock.forward(2 * HOUR)
    world.carry()

    ids = {each.headers["topic"] for each in world.receiver.got["/push/1"]}
    assert (1, 4) == (len(ids), len(world.receiver.got["/push/1"]))
    told = ash.get("/v1/me/devices", want=200).json["devices"][0]["notifications"]
    assert ["delivered", "failed", "failed", "failed"] == [each["state"] for each in told]
    assert 1 == len({each["id"] for each in told})

    world.receiver.act["/push/1"] = lambda *_: 503
    clock.forward(30 * HOUR)
    world.carry()
    assert 4 == len(world.receiver.got["/push/1"]), "no reminder of what is over"


def test_retry_after_of_a_busy_push_service_is_respected(world, clock):
    world.receiver.act["/push/1"] = busy(600)
    started(world, pace=CLOCK)
    world.carry()
    clock.forward(9 * MINUTE)
    world.carry()
    assert 1 == len(world.receiver.got["/push/1"])
    clock.forward(2 * MINUTE)
    world.carry()
    assert 2 == len(world.receiver.got["/push/1"])


def test_device_without_a_delivery_for_a_day_is_disabled(world, clock):
    world.receiver.act["/push/1"] = lambda *_: 503
    _, ash, _ = started(world)
    for _ in range(30):
        world.carry()
        clock.forward(HOUR)

    (device,) = ash.get("/v1/me/devices", want=200).json["devices"]
    assert (False, "failing") == (device["active"], device["disabled_reason"])
    assert "dead" == device["notifications"][0]["state"]
    assert 0 == world.store.outbox.census().pending


def test_browser_gets_notifications_only_for_the_last_player_who_subscribed(world):
    game, ash, birk = started(world)
    world.carry()
    browser = Browser(world.receiver, "/push/1")
    birk.post("/v1/me/devices", browser.subscription, want=201)
    round_of(world, game, ash, birk)
    world.carry()

    assert [] == ash.get("/v1/me/devices", want=200).json["devices"]
    assert 1 == len(birk.get("/v1/me/devices", want=200).json["devices"])
    (notice,) = [browser.opened(each) for each in world.receiver.got["/push/1"][1:]]
    assert "with Ash" in notice["title"], "it tells Birk, and Ash no more"
    (device,) = birk.get("/v1/me/devices", want=200).json["devices"]
    assert [notice["id"]] == [each["id"] for each in device["notifications"]], "nor of what Ash was told"


def test_notification_is_not_sent_if_another_player_subscribes_the_browser_first(world, monkeypatch):
    _, ash, birk = started(world)
    written = handler.push_message.build_question

    def meanwhile(*told):
        made = written(*told)
        birk.post("/v1/me/devices", Browser(world.receiver, "/push/1").subscription, want=201)
        monkeypatch.setattr(handler.push_message, "build_question", written)
        return made

    monkeypatch.setattr(handler.push_message, "build_question", meanwhile)
    owed = world.store.outbox.claim(range(256), 64, 5000)
    for each in owed:
        world.delivery.deliver(each, each.cursor, world.store.subscriptions.get(each.subscription))
    (asked,) = [each for each in world.store.outbox.claim(range(256), 64, 5000) if each.subject]
    ashs = world.store.subscriptions.get(asked.subscription)
    assert ash.id == ashs.owner
    world.delivery.deliver(asked, asked.cursor, ashs)

    assert [] == world.receiver.got["/push/1"]


@pytest.mark.parametrize("end", ["token", "account", "device"])
def test_no_notification_is_sent_after_the_token_account_or_device_is_deleted(world, end):
    game, ash, birk = started(world)
    device = ash.get("/v1/me/devices", want=200).json["devices"][0]["id"]
    match end:
        case "token":
            (token,) = ash.get("/v1/me/tokens", want=200).json["tokens"]
            ash.call("DELETE", f"/v1/me/tokens/{token['id']}", want=204)
        case "account":
            erase(world.store, ash.id)
        case "device":
            ash.call("DELETE", f"/v1/me/devices/{device}", want=204)
    world.carry()

    assert [] == world.receiver.got["/push/1"]
    assert world.store.subscriptions.get(device) is None
    birk.send(game, HIDE, want=200)
    assert 0 == world.store.outbox.census().pending


def test_notification_is_sent_once_and_marked_as_a_test(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    browser = world.browser(ash)
    asked = ash.post(f"/v1/me/devices/{browser.id}/test", {}, want=202).json
    world.carry()

    (told,) = browser.notices
    assert (asked["id"], "test", "/me") == (told["id"], told["kind"], told["path"])
    is_a_problem(birk.post(f"/v1/me/devices/{browser.id}/test", {}), 404, "unknown-device")


def test_pending_notifications_are_dropped_if_push_is_off(world, tmp_path):
    started(world)
    off = Pushing(tmp_path, world.store, push="off")
    off.carry()

    assert [] == world.receiver.got["/push/1"]
    assert 0 == world.store.outbox.census().pending
    off.close()


def test_notification_is_sent_only_to_allowed_networks(world, tmp_path):
    started(world)
    closed = Pushing(tmp_path, world.store, webhook_networks=())
    closed.carry()

    assert [] == world.receiver.got["/push/1"]
    closed.close()


def test_a_sign_in_is_pushed_to_the_devices_of_the_account(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    browser, other = world.browser(ash, "/one"), world.browser(birk, "/other")
    first, second = ash.post("/v1/me/recovery-codes", {}, want=201).json["codes"][:2]
    ash.post(f"/v1/me/devices/{browser.id}/test", {}, want=202)
    world.carry()

    for code in (first, second):
        birk.post("/v1/sign-in/recovery-code", {"code": code}, want=201)
        world.carry()

    assert ["test", "sign-in", "sign-in"] == [each["kind"] for each in browser.notices] and [] == other.notices
    assert ("New sign-in", "/me") == (browser.notices[1]["title"], browser.notices[1]["path"])
    topics = [each.headers["topic"] for each in world.receiver.got["/one"]]
    assert topics[0] != topics[1] == topics[2], "a test does not replace it"
    (device,) = ash.get("/v1/me/devices", want=200).json["devices"]
    assert ["sign-in", "sign-in", "test"] == [each["kind"] for each in device["notifications"]]
