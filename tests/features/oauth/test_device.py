"""The device grant: a program shows a code, and its player types it in a browser."""

from __future__ import annotations

import re
import time

import pytest

from service.features.oauth import codes
from tests.features.oauth.app import SCOPE, fields, register

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


def begin(app, scope=SCOPE):
    status, answer = app.ask("/oauth/device_authorization", scope=scope)
    assert 200 == status, answer
    return answer


def poll(app, device):
    status, answer = app.ask("/oauth/token", grant_type=GRANT, device_code=device["device_code"])
    return answer if status == 200 else answer["error"]


def answer(browser, device, want=200, decision="allow", where="all", until="day", code=None):
    form = {"user_code": code or device["user_code"], "decision": decision, "where": where, "until": until}
    return browser.post("/oauth/device", form, want)


def test_device_plays_after_its_player_has_typed_the_code(world, table):
    game, browser, app = table
    device = begin(app)
    assert "authorization_pending" == poll(app, device)

    typed = device["user_code"].lower().replace("-", " ")
    page = browser.get(f"/oauth/device?user_code={typed.replace(' ', '+')}").text
    told = answer(browser, device)

    assert {"csrf_token", "user_code"} == fields(page).keys()
    assert device["user_code"] in page
    assert "If someone else has sent you the code, choose Cancel." in page
    assert "The device is connected." in told.text
    tokens = poll(app, device)
    app.player(tokens, browser).send(game, {"type": "hide", "pennies": 1}, want=200)
    assert app.refresh(tokens["refresh_token"])["access_token"]
    assert "Penny Helper" == world.public.events(game)[-1]["via"]


def test_device_authorization_has_the_fields_of_the_standard(world, table):
    device = begin(table[2])

    assert ("http://localhost/oauth/device", 600, 5) == tuple(
        device[name] for name in ("verification_uri", "expires_in", "interval")
    )
    assert re.fullmatch("[B-Z]{4}-[B-Z]{4}", device["user_code"])
    assert device["verification_uri_complete"].endswith(f"?user_code={device['user_code']}")


def test_device_can_be_limited_to_one_game(table):
    game, browser, app = table
    device = begin(app)

    answer(browser, device, where=game)

    assert game == poll(app, device)["game"]


def test_refused_device_gets_no_token(table):
    _, browser, app = table
    device = begin(app)

    answer(browser, device, decision="deny")

    assert "access_denied" == poll(app, device)
    answer(browser, device, want=404)
    assert [] == browser.player.get("/v1/me/apps").json["apps"]


def test_device_that_polls_too_fast_is_slowed_down(table):
    _, browser, app = table
    device = begin(app)

    assert ["authorization_pending", "slow_down", "slow_down"] == [poll(app, device) for _ in range(3)]
    answer(browser, device)
    assert poll(app, device)["access_token"], "an answer is given at once"


def test_device_code_is_used_once(table):
    _, browser, app = table
    device = begin(app)
    answer(browser, device)
    tokens = poll(app, device)

    assert "invalid_request" == poll(app, device)
    app.player(tokens, browser).get("/v1/games", want=200)
    answer(browser, device, want=404)


def test_device_is_connected_once_if_the_form_is_sent_twice_at_once(world, table, monkeypatch):
    _, browser, app = table
    device = begin(app)
    seen_by_both = codes.find_device_by_user(world.store, device["user_code"])
    monkeypatch.setattr(codes, "find_device_by_user", lambda *_: seen_by_both)

    answer(browser, device)
    answer(browser, device, want=404)

    assert 1 == len(browser.player.get("/v1/me/apps", want=200).json["apps"])
    assert poll(app, device)["access_token"]


def test_codes_of_devices_cannot_be_guessed(world, table, monkeypatch):
    _, browser, app = table
    device = begin(app)
    monkeypatch.setattr("service.features.oauth.pages.CODES_HOUR", 5)
    wrong = [world.site.call("GET", f"/oauth/device?user_code=BBBB-BBB{c}", browser.headers, None) for c in "BCDFGH"]

    assert [404] * 5 + [429] == [each.status for each in wrong]
    answer(browser, device, want=429)
    assert "authorization_pending" == poll(app, device)


def test_guesses_are_counted_by_address_as_well(world, table, monkeypatch):
    _, browser, _ = table
    monkeypatch.setattr("service.features.oauth.pages.CODES_HOUR", 3)
    found = []
    for _ in range(4):
        other = type(browser)(world, world.player())
        found.append(world.site.call("GET", "/oauth/device?user_code=BBBB-BBBB", other.headers, None).status)

    assert [404, 404, 404, 429] == found


def test_address_cannot_ask_for_many_codes(table, monkeypatch):
    _, _, app = table
    monkeypatch.setattr("service.features.oauth.endpoints.DEVICES_HOUR", 2)

    found = [app.ask("/oauth/device_authorization", scope=SCOPE) for _ in range(3)]

    assert [200, 200, 429] == [status for status, _ in found]
    assert "slow_down" == found[-1][1]["error"]


def test_device_code_expires(table, monkeypatch):
    _, browser, app = table
    device = begin(app)
    later = time.time() + codes.DEVICE_SECONDS + 1
    monkeypatch.setattr("time.time", lambda: later)
    monkeypatch.setattr(app.world.store.schedule, "now", lambda: int(later * 1000))

    assert "expired_token" == poll(app, device)
    assert (
        404
        == app.world.site.call("GET", f"/oauth/device?user_code={device['user_code']}", browser.headers, None).status
    )


def test_device_code_of_another_client_gives_no_token(world, table):
    _, browser, app = table
    device = begin(app)
    answer(browser, device)

    assert "unauthorized_client" == poll(register(world, world.player()), device)
    assert poll(app, device)["access_token"]


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"scope": "account:write"}, "invalid_scope"),
        ({"scope": ""}, "invalid_request"),
        ({}, "invalid_request"),
        ({"scope": SCOPE, "client_id": "none"}, "invalid_client"),
    ],
)
def test_bad_request_of_a_device_is_reported(table, form, error):
    status, told = table[2].ask("/oauth/device_authorization", **form)

    assert (400, error) == (status, told["error"])
