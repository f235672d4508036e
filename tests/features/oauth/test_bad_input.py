"""Bad input to every endpoint and page: an error with a reason, and nothing changes."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from tests.features.oauth.app import FORM, SCOPE, fields

STRANGE = [
    "",
    " ",
    "\0",
    "ö",
    "\U0001f600",
    "\"\\<script>'",
    "%00",
    "a b",
    "\r\nX: y",
    "x" * 20_000,
    "owc_...",
    "owr_a.b.ö.d",
]
GRANTS = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
ENDPOINTS = ["/oauth/token", "/oauth/device_authorization", "/oauth/revoke", "/oauth/introspect"]


def sent(world, path, body, headers=FORM):
    answer = world.site.call("POST", path, headers, body)
    form = "application/problem+json" if answer.status == 413 else "application/json"
    assert answer.headers["Content-Type"].startswith(form), answer.text
    assert "no-store" in answer.headers["Cache-Control"]
    return answer.status, json.loads(answer.body)


@pytest.mark.parametrize("strange", STRANGE, ids=range(len(STRANGE)))
def test_strange_values_are_refused_by_every_endpoint(world, table, strange):
    _, _, app = table
    names = ("grant_type", "code", "refresh_token", "device_code", "token", "client_id", "redirect_uri", "scope")
    for path in ENDPOINTS:
        for name in names:
            for grant in GRANTS:
                form = {
                    "grant_type": grant,
                    "client_id": app.id,
                    "code": "owc_a.b.c.d",
                    "code_verifier": app.verifier,
                    "refresh_token": "owr_a.b.c.d",
                    "device_code": "x",
                    "token": "x",
                    "token_type_hint": strange if name == "token" else "access_token",
                    "redirect_uri": app.redirect,
                    "scope": SCOPE,
                    name: strange,
                }
                status, answer = sent(world, path, urlencode(form).encode())
                assert status in (200, 400), (path, name, grant, answer)
                if status == 200:
                    assert "access_token" not in answer
                else:
                    assert answer["error"]


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"", FORM),
        (b"\xff\xfe=%ff", FORM),
        (b"{}", {"Content-Type": "application/json"}),
        (b"client_id=a&client_id=b&grant_type=x&grant_type=y", FORM),
        (b"x" * 70_000, FORM),
        (b"a=1", {**FORM, "Authorization": "Basic eDp5"}),
        (b"a=1", {**FORM, "Authorization": "Basic \xf6"}),
    ],
    ids=["empty", "not UTF-8", "JSON", "twice", "large", "basic", "broken basic"],
)
def test_malformed_requests_are_refused(world, path, body, headers):
    status, answer = sent(world, path, body, headers)

    assert status in (400, 413), answer
    assert answer["code" if status == 413 else "error"]


@pytest.mark.parametrize("strange", STRANGE, ids=range(len(STRANGE)))
def test_strange_parameters_of_a_request_for_access_are_refused(table, strange):
    _, browser, app = table
    accepted = {"state"}
    for name in (
        "response_type",
        "client_id",
        "redirect_uri",
        "scope",
        "state",
        "code_challenge",
        "code_challenge_method",
        "game",
    ):
        answer = browser.world.site.call("GET", app.url(**{name: strange}), browser.headers, None)
        if name in accepted:
            assert 200 == answer.status
            assert strange == fields(answer.text).get("state", "").replace("\r\n", "\n") or "\r" in strange
        else:
            assert answer.status in (302, 400, 404, 414), (name, answer.status)
            assert answer.status != 302 or "error=" in answer.headers["Location"]
        assert "<script>" not in answer.text


@pytest.mark.parametrize(
    "changed",
    [
        {"decision": None},
        {"decision": "perhaps"},
        {"where": None},
        {"where": "gnone"},
        {"where": "ö"},
        {"until": None},
        {"until": "forever"},
        {"until": "9" * 99},
    ],
)
def test_incomplete_form_changes_nothing(table, changed):
    _, browser, app = table
    form = {**fields(browser.get(app.url()).text), "where": "all", "until": "day", "decision": "allow", **changed}
    form = {name: value for name, value in form.items() if value is not None}

    answer = browser.world.site.call("POST", "/oauth/authorize", {**browser.headers, **FORM}, urlencode(form).encode())

    assert answer.status in (400, 404, 422)
    assert [] == browser.player.get("/v1/me/apps").json["apps"]


def test_repeated_parameter_is_refused(table):
    _, browser, app = table

    for name in ("client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "game"):
        answer = browser.world.site.call("GET", f"{app.url(game=table[0])}&{name}=x", browser.headers, None)
        assert answer.status in (302, 400), name
        assert answer.status == 400 or "error=invalid_request" in answer.headers["Location"]


def test_repeated_parameter_of_a_program_is_refused(world, table):
    _, browser, app = table
    token = app.connect(browser)["refresh_token"]
    form = {"grant_type": "refresh_token", "client_id": app.id, "refresh_token": token}

    status, answer = sent(world, "/oauth/token", urlencode([*form.items(), ("refresh_token", token)]).encode())

    assert (400, "invalid_request") == (status, answer["error"])
    assert app.refresh(token)["access_token"]


def test_game_that_the_player_cannot_see_is_refused(world, table):
    _, browser, app = table
    hidden, *_ = world.table("Cora", "Dora", visibility="private")

    browser.get(app.url(game=hidden), want=404)
    form = {**fields(browser.get(app.url()).text), "until": "day", "decision": "allow"}
    browser.post("/oauth/authorize", {**form, "where": hidden}, want=404)
    assert [] == browser.player.get("/v1/me/apps").json["apps"]


def test_store_that_does_not_answer_is_reported(table, monkeypatch):
    from service.store.ports.errors import StoreDown

    _, browser, app = table

    def down(*_):
        raise StoreDown("away")

    monkeypatch.setattr("service.features.oauth.server.apps.find_app", down)
    monkeypatch.setattr("service.features.oauth.pages.find_app", down)

    assert "Nothing was changed." in browser.get(app.url(), want=503).text
    answer = browser.world.site.call(
        "POST", "/oauth/token", FORM, f"grant_type=refresh_token&client_id={app.id}".encode()
    )
    assert (503, "1") <= (answer.status, answer.headers["Retry-After"])
