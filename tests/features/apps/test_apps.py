"""Registering apps, and listing and disconnecting those that are connected."""

from __future__ import annotations

import pytest

from service.core.accounts.redirects import is_redirect_uri, matches, origin_of
from service.features.apps import api
from tests.core.http.problem import is_a_problem
from tests.features.oauth.app import CALLBACK, SCOPE, Browser, register

GOOD = {"name": "Penny Helper", "redirect_uris": [CALLBACK]}


def test_app_is_registered_listed_and_deleted(world):
    ash, birk = world.player(), world.player()

    made = ash.post("/v1/apps", {**GOOD, "redirect_uris": [CALLBACK, CALLBACK]}, want=201)

    assert f"/v1/apps/{made.json['id']}" == made.headers["Location"]
    assert ("Penny Helper", [CALLBACK]) == (made.json["name"], made.json["redirect_uris"])
    assert [made.json] == ash.get("/v1/apps", want=200).json["apps"]
    assert [] == birk.get("/v1/apps", want=200).json["apps"]
    is_a_problem(birk.call("DELETE", f"/v1/apps/{made.json['id']}"), 404, "unknown-app")
    ash.call("DELETE", f"/v1/apps/{made.json['id']}", want=204)
    is_a_problem(ash.call("DELETE", f"/v1/apps/{made.json['id']}"), 404, "unknown-app")
    assert [] == ash.get("/v1/apps", want=200).json["apps"]


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"name": None}, "/name"),
        ({"name": 5}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": "x" * 41}, "/name"),
        ({"name": "\u202eevil"}, "/name"),
        ({"name": "\u200b"}, "/name"),
        ({"redirect_uris": None}, "/redirect_uris"),
        ({"redirect_uris": []}, "/redirect_uris"),
        ({"redirect_uris": CALLBACK}, "/redirect_uris"),
        ({"redirect_uris": [CALLBACK] * 11}, "/redirect_uris"),
        ({"redirect_uris": [CALLBACK, 5]}, "/redirect_uris/1"),
        ({"redirect_uris": [CALLBACK, "javascript:alert(1)"]}, "/redirect_uris/1"),
        ({"redirect_uris": ["http://helper.example.org/"]}, "/redirect_uris/0"),
        ({"secret": "x"}, "/secret"),
    ],
)
def test_invalid_app_is_refused(world, changed, pointer):
    answer = world.player().post("/v1/apps", {**GOOD, **changed})

    is_a_problem(answer, 422, "invalid")
    assert pointer in [each["pointer"] for each in answer.json["errors"]]


def test_app_cannot_have_the_name_of_the_game(world):
    is_a_problem(world.player().post("/v1/apps", {**GOOD, "name": "SYSTEM"}), 422, "name-reserved")


def test_account_has_a_limit_of_apps(world, monkeypatch):
    monkeypatch.setattr(api, "MOST_APPS", 2)
    ash = world.player()
    for _ in range(2):
        ash.post("/v1/apps", GOOD, want=201)

    is_a_problem(ash.post("/v1/apps", GOOD), 429, "too-many-apps")


def test_registration_repeated_with_its_key_makes_one_app(world):
    ash, key = world.player(), {"Idempotency-Key": "k" * 40}

    one, other = (ash.post("/v1/apps", GOOD, headers=key, want=201).json for _ in range(2))

    assert one == other
    assert [one] == ash.get("/v1/apps").json["apps"]


def test_connected_app_is_listed_with_what_was_allowed(world):
    game, ash, birk = world.table()
    browser, app = Browser(world, ash), register(world, birk)
    tokens = app.connect(browser, where=game, until="day")
    app.player(tokens, browser).view(game)

    (known,) = ash.get("/v1/me/apps", want=200).json["apps"]

    assert ("Penny Helper", app.id, SCOPE.split(), game) == tuple(
        known[name] for name in ("name", "client_id", "scopes", "game")
    )
    assert 86_400_000 == known["expires_at"] - known["created_at"]
    assert known["last_used_at"] >= known["created_at"]


def test_player_cannot_disconnect_the_app_of_another(world):
    browser, owner = Browser(world, world.player()), world.player()
    app = register(world, owner)
    tokens = app.connect(browser)
    (known,) = browser.player.get("/v1/me/apps").json["apps"]

    is_a_problem(owner.call("DELETE", f"/v1/me/apps/{known['id']}"), 404, "unknown-app")

    app.player(tokens, browser).get("/v1/games", want=200)
    browser.player.call("DELETE", f"/v1/me/apps/{known['id']}", want=204)
    is_a_problem(browser.player.call("DELETE", f"/v1/me/apps/{known['id']}"), 404, "unknown-app")


def test_app_cannot_see_or_change_apps(world):
    browser = Browser(world, world.player())
    app = register(world, world.player())
    player = app.player(app.connect(browser, scope="account:read games:read"), browser)

    for method, path in [
        ("GET", "/v1/apps"),
        ("GET", "/v1/me/apps"),
        ("DELETE", "/v1/me/apps/x"),
        ("GET", "/v1/me/tokens"),
    ]:
        is_a_problem(player.call(method, path), 403, "insufficient-scope")
    is_a_problem(player.post("/v1/apps", GOOD), 403, "insufficient-scope")
    assert browser.player.id == player.get("/v1/me", want=200).json["id"]


def test_erased_account_has_no_apps(world):
    ash, birk = world.player("Ash"), Browser(world, world.player())
    app = register(world, ash)

    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    birk.get(app.url(), want=400)
    assert [] == [each for each in world.store.wire.one("KEYS", "*") if b"oauth-apps" in each]


@pytest.mark.parametrize(
    ("uri", "valid"),
    [
        (CALLBACK, True),
        ("https://helper.example.org", True),
        ("https://helper.example.org:8443/back?x=1", True),
        ("https://[2001:db8::1]/back", True),
        ("http://127.0.0.1/back", True),
        ("http://127.0.0.1:8000/back", True),
        ("http://[::1]:8000/back", True),
        ("http://localhost:8000/back", True),
        ("org.example.helper:/back", True),
        ("", False),
        (None, False),
        (5, False),
        ("https://", False),
        ("https:helper.example.org", False),
        ("https:///back", False),
        ("/callback", False),
        ("//helper.example.org", False),
        ("http://helper.example.org", False),
        ("http://localhost.example.org/back", False),
        ("http://127.0.0.1.example.org/back", False),
        ("https://user@helper.example.org", False),
        ("https://helper.example.org\\@evil.example.org", False),
        ("https://helper.example.org/#x", False),
        ("https://helper.example.org/a b", False),
        ("https://helper.example.org/\n", False),
        ("https://h\u00e4lper.example.org/", False),
        ("https://helper.example.org/'x", False),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("helper:/back", False),
        ("https://helper.example.org/" + "x" * 500, False),
    ],
)
def test_redirect_uri_is_checked(uri, valid):
    assert valid == is_redirect_uri(uri)


def test_only_an_ip_address_of_the_loopback_ignores_the_port():
    assert matches("http://[::1]:1/back", "http://[::1]:2/back")
    assert not matches("http://localhost:1/back", "http://localhost:2/back")
    assert not matches("https://helper.example.org:1/", "https://helper.example.org:2/")
    assert not matches("http://127.0.0.1/back", "http://127.0.0.1/back#x")


def test_origin_of_a_redirect_uri():
    assert "https://helper.example.org:8443" == origin_of("https://helper.example.org:8443/back?x=1")
    assert "org.example.helper:" == origin_of("org.example.helper:/back")
