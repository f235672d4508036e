"""Attacks on connections of apps: each is refused, and a stolen token ends the connection."""

from __future__ import annotations

import threading

import pytest

from service.cli.commands.token import another
from service.core.accounts import apps as stored
from service.core.http.access.sessions import csrf_token
from service.core.http.context.tokens import digest_of
from service.ops.accounts import suspend_account
from service.store.ports.accounts import Credential
from service.store.redis import keys
from tests.core.http.problem import is_a_problem
from tests.driver import Player
from tests.features.oauth.app import CALLBACK, Browser, fields, parameters, register
from tests.workers.crew import eventually

HIDE = {"type": "hide", "pennies": 1}


def is_over(app, browser, tokens):
    """Whether the connection has ended: neither token works, and the player sees no app."""
    assert "bad-token" == app.player(tokens, browser).get("/v1/games", want=401).code
    assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]
    return [] == browser.player.get("/v1/me/apps", want=200).json["apps"]


# -- codes -------------------------------------------------------------------------------------------------------------


def test_code_that_is_used_twice_ends_the_connection(table):
    _, browser, app = table
    code = app.consent(browser)["code"]
    tokens = app.exchange(code)
    app.player(tokens, browser).get("/v1/games", want=200)

    assert "invalid_grant" == app.exchange(code, 400)["error"]

    assert is_over(app, browser, tokens)


def test_code_that_is_used_twice_at_once_gives_no_lasting_token(table):
    _, browser, app = table
    code, answers = app.consent(browser)["code"], []
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": app.verifier}
    threads = [threading.Thread(target=lambda: answers.append(app.ask("/oauth/token", **form))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert sum(status == 200 for status, _ in answers) <= 1
    for status, tokens in answers:
        if status == 200:
            assert 401 == app.player(tokens, browser).get("/v1/games").status
    assert [] == browser.player.get("/v1/me/apps", want=200).json["apps"]


@pytest.mark.parametrize("verifier", ["w" * 43, "", None, "short"])
def test_wrong_verifier_gives_no_token(table, verifier):
    _, browser, app = table
    code = app.consent(browser)["code"]

    assert app.exchange(code, 400, code_verifier=verifier)["error"] in ("invalid_grant", "invalid_request")
    assert "invalid_grant" == app.exchange(code, 400)["error"], "the code is used up"


def test_code_of_another_client_gives_no_token(world, table):
    _, browser, app = table
    other = register(world, world.player())
    other.verifier = app.verifier
    code = app.consent(browser)["code"]

    assert "invalid_grant" == other.exchange(code, 400)["error"]


def test_code_needs_the_redirect_uri_that_it_was_sent_to(world):
    one, two = CALLBACK, "https://helper.example.org/other"
    browser, app = Browser(world, world.player()), register(world, world.player(), one, two)
    code = app.consent(browser)["code"]

    assert "invalid_grant" == app.exchange(code, 400, redirect_uri=two)["error"]


def test_code_expires(world, table, monkeypatch):
    _, browser, app = table
    monkeypatch.setattr("service.features.oauth.codes.CODE_SECONDS", 1)
    code = app.consent(browser)["code"]
    eventually(lambda: not any(b"oauth-code" in each for each in world.store.wire.one("KEYS", "*")), seconds=5)

    assert "invalid_grant" == app.exchange(code, 400)["error"]


@pytest.mark.parametrize(
    "changed",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge": "short"},
    ],
)
def test_request_without_s256_is_refused(table, changed):
    _, browser, app = table

    answer = browser.get(app.url(**changed), want=302)

    assert "invalid_request" == parameters(answer.headers["Location"])["error"]


def test_downgraded_form_is_refused(table):
    """The form repeats the request; it is checked again when it is sent."""
    _, browser, app = table
    form = {**fields(browser.get(app.url()).text), "where": "all", "until": "day", "decision": "allow"}

    answer = browser.post("/oauth/authorize", {**form, "code_challenge_method": "plain"}, want=302)

    assert "invalid_request" == parameters(answer.headers["Location"])["error"]
    assert [] == browser.player.get("/v1/me/apps").json["apps"]


# -- redirect URIs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        None,
        "https://evil.example.org/callback",
        "http://helper.example.org/callback",
        "https://helper.example.org/callback/",
        "https://helper.example.org/callback?x=1",
        "https://helper.example.org/callback#x",
        "https://helper.example.org:444/callback",
        "https://helper.example.org@evil.example.org/callback",
        "https://helper.example.org/callback/../steal",
        "https://HELPER.example.org/callback",
        "javascript:alert(1)//callback",
        "//helper.example.org/callback",
    ],
)
def test_unknown_redirect_uri_leads_nowhere(table, uri):
    _, browser, app = table

    answer = browser.get(app.url(redirect_uri=uri), want=400)

    assert "Location" not in answer.headers
    assert "Nothing was changed." in answer.text
    browser.get(app.url(redirect_uri=uri, response_type="token"), want=400)


def test_only_the_port_of_a_loopback_address_may_differ(world):
    browser, app = Browser(world, world.player()), register(world, world.player(), "http://127.0.0.1/back")

    for uri in ("http://127.0.0.1:4711/back", "http://127.0.0.1/back"):
        assert app.exchange(app.consent(browser, redirect_uri=uri)["code"], redirect_uri=uri)["access_token"]
    for uri in (
        "http://127.0.0.1:4711/other",
        "http://127.0.0.2:4711/back",
        "http://localhost:4711/back",
        "https://127.0.0.1:4711/back",
        "http://127.0.0.1:4711@evil.example.org/back",
        "http://[::1]:4711/back",
    ):
        browser.get(app.url(redirect_uri=uri), want=400)


# -- refresh tokens ----------------------------------------------------------------------------------------------------


def test_refresh_token_that_is_used_twice_ends_the_connection(table):
    _, browser, app = table
    first = app.connect(browser)
    second = app.refresh(first["refresh_token"])
    app.player(second, browser).get("/v1/games", want=200)

    assert "invalid_grant" == app.refresh(first["refresh_token"], 400)["error"]

    assert is_over(app, browser, second)


def test_refresh_token_that_is_used_twice_at_once_gives_no_lasting_token(table):
    _, browser, app = table
    token, answers = app.connect(browser)["refresh_token"], []
    form = {"grant_type": "refresh_token", "refresh_token": token}
    threads = [threading.Thread(target=lambda: answers.append(app.ask("/oauth/token", **form))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert sum(status == 200 for status, _ in answers) <= 1
    assert [] == browser.player.get("/v1/me/apps", want=200).json["apps"]


def test_forged_refresh_token_does_not_end_the_connection(table):
    _, browser, app = table
    tokens = app.connect(browser)
    *known, seal = tokens["refresh_token"].split(".")
    for forged in (".".join([*known, "0" * len(seal)]), ".".join([*known[:2], "x", seal]), "owr_a.b.c.d", "owr_", "x"):
        assert "invalid_grant" == app.refresh(forged, 400)["error"]

    assert app.refresh(tokens["refresh_token"])["access_token"]


def test_refresh_token_of_another_client_gives_no_token(world, table):
    _, browser, app = table
    tokens = app.connect(browser)

    assert "invalid_grant" == register(world, world.player()).refresh(tokens["refresh_token"], 400)["error"]
    status, answer = register(world, world.player()).ask("/oauth/revoke", token=tokens["refresh_token"])
    assert (400, "invalid_grant") == (status, answer["error"])
    about = register(world, world.player()).ask("/oauth/introspect", token=tokens["access_token"])
    assert (200, {"active": False}) == about


def test_refresh_cannot_add_scopes(table):
    _, browser, app = table
    tokens = app.connect(browser, scope="games:read")

    for scope in ("games:read games:play", "account:write", "admin", "play"):
        assert "invalid_scope" == app.refresh(tokens["refresh_token"], 400, scope=scope)["error"]
    assert "games:read" == app.refresh(tokens["refresh_token"])["scope"]


def test_refresh_token_is_no_access_token(table):
    _, browser, app = table
    tokens = app.connect(browser)

    assert 401 == Player(app.world.site, tokens["refresh_token"]).get("/v1/games").status
    assert "invalid_grant" == app.refresh(tokens["access_token"], 400)["error"]


# -- scopes and sessions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["account:write", "admin", "read", "play", "account", "games:read admin", "", None])
def test_scopes_that_no_app_can_have_are_refused(table, scope):
    _, browser, app = table

    answer = browser.get(app.url(scope=scope), want=302)

    assert "invalid_scope" == parameters(answer.headers["Location"])["error"]


def test_session_cannot_give_more_than_it_has(world, table):
    _, browser, app = table
    token = browser.player.post(
        "/v1/me/tokens", {"scopes": ["account:read", "account:write", "games:read"]}, want=201
    ).json["token"]
    poor = Browser(world, Player(world.site, token))

    poor.get(app.url(), want=403)
    poor.get(app.url(scope="games:read"), want=200)
    form = {**fields(browser.get(app.url()).text), "where": "all", "until": "day", "decision": "allow"}
    poor.post("/oauth/authorize", form, want=403)


def test_token_cannot_consent(world, table):
    """An app with a token could otherwise give itself more rights."""
    _, browser, app = table
    app_token = {"Authorization": f"Bearer {browser.player.token}"}

    for method, url in (("GET", app.url()), ("POST", "/oauth/authorize"), ("GET", "/oauth/device")):
        assert 403 == world.site.call(method, url, app_token, None).status
    assert 401 == world.site.call("GET", app.url(), {}, None).status


def test_form_of_another_site_is_refused(table):
    _, browser, app = table
    form = {**fields(browser.get(app.url()).text), "where": "all", "until": "day", "decision": "allow"}
    del form["csrf_token"]

    browser.post("/oauth/authorize", form, want=403, csrf="")
    browser.post("/oauth/authorize", form, want=403, csrf=csrf_token("another"))
    browser.post("/oauth/authorize", form, want=403, headers={"Sec-Fetch-Site": "cross-site"})
    browser.post("/oauth/device", {"user_code": "AAAA-AAAA", "decision": "allow"}, want=403, csrf="")
    assert [] == browser.player.get("/v1/me/apps").json["apps"]


# -- the end of a connection -------------------------------------------------------------------------------------------


def test_disconnected_app_is_stopped_in_the_middle_of_a_stream(table):
    game, browser, app = table
    tokens = app.connect(browser)
    player = app.player(tokens, browser)
    with player.stream(game, last=0) as messages:
        assert next(messages).data
        (known,) = browser.player.get("/v1/me/apps", want=200).json["apps"]

        browser.player.call("DELETE", f"/v1/me/apps/{known['id']}", want=204)
        browser.player.send(game, HIDE, want=200)

        assert [] == [each.data for each in messages if each.data and each.data.get("by") == "player"]
    assert is_over(app, browser, tokens)


def test_revoking_the_other_tokens_of_a_player_disconnects_all_apps(world, table):
    """An app that a thief has connected must not outlive the thief's token."""
    _, browser, app = table
    tokens = app.connect(browser)
    app.player(tokens, browser).get("/v1/games", want=200)

    another(world.store, browser.player.id, revoke_others=True)

    eventually(lambda: app.player(tokens, browser).get("/v1/games").status == 401, seconds=3)
    assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]


def test_suspended_player_can_neither_connect_nor_use_apps(world, table):
    game, browser, app = table
    tokens = app.connect(browser)
    form = {**fields(browser.get(app.url()).text), "where": "all", "until": "day", "decision": "allow"}

    suspend_account(world.store, "root", browser.player.id, "Insults", None)

    eventually(lambda: app.player(tokens, browser).get(f"/v1/games/{game}").status == 403, seconds=3)
    assert "suspended" == app.player(app.refresh(tokens["refresh_token"]), browser).get("/v1/games", want=403).code
    assert "Insults" in browser.get(app.url(), want=403).text
    browser.post("/oauth/authorize", form, want=403)


def test_erased_account_has_no_connections(world, table):
    _, browser, app = table
    tokens, code = app.connect(browser), app.consent(browser)["code"]

    browser.player.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    assert 401 == app.player(tokens, browser).get("/v1/games").status
    assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]
    assert "invalid_grant" == app.exchange(code, 400)["error"]
    assert [] == [each for each in world.store.wire.one("KEYS", "*") if b"connections" in each]


def test_connection_that_ends_during_the_exchange_gives_no_token(table, monkeypatch):
    _, browser, app = table
    code = app.consent(browser)["code"]
    (known,) = browser.player.get("/v1/me/apps", want=200).json["apps"]
    accounts, add = app.world.store.accounts, app.world.store.accounts.add_token

    def add_late(credential, *more):
        stored.end_connection(app.world.store, browser.player.id, known["id"])
        return add(credential, *more)

    monkeypatch.setattr(accounts, "add_token", add_late)

    assert "invalid_grant" == app.exchange(code, 400)["error"]
    assert [] == [each for each in accounts.tokens(browser.player.id) if each.kind == "app"]


def test_connection_ends_at_the_time_that_the_player_has_chosen(table, monkeypatch):
    _, browser, app = table
    tokens = app.connect(browser, until="day")
    now = app.world.store.schedule.now()

    monkeypatch.setattr(app.world.store.schedule, "now", lambda: now + 86_400_000)

    assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]
    assert [] == browser.player.get("/v1/me/apps", want=200).json["apps"]
    assert 0 == app.world.store.wire.one("EXISTS", keys.token(digest_of(tokens["access_token"])))


def test_one_connection_too_many_ends_the_oldest(table, monkeypatch):
    _, browser, app = table
    monkeypatch.setattr(stored, "MOST_CONNECTIONS", 2)
    first, second, third = (app.connect(browser) for _ in range(3))

    assert 401 == app.player(first, browser).get("/v1/games").status
    for tokens in (second, third):
        app.player(tokens, browser).get("/v1/games", want=200)


def test_deleted_app_gets_no_more_tokens(world):
    owner, browser = world.player(), Browser(world, world.player())
    app = register(world, owner)
    tokens = app.connect(browser)

    owner.call("DELETE", f"/v1/apps/{app.id}", want=204)

    assert "invalid_client" == app.refresh(tokens["refresh_token"], 400)["error"]
    browser.get(app.url(), want=400)


def test_tokens_of_apps_are_not_in_the_list_of_tokens(table):
    _, browser, app = table
    app.connect(browser)

    assert {"token", "session"} == {each["kind"] for each in browser.player.get("/v1/me/tokens").json["tokens"]}


def test_personal_token_is_not_introspected(world, table):
    _, browser, app = table
    made = Credential("c9", browser.player.id, ("play",), 1, minted_by="")
    world.store.accounts.add_token(made, digest_of("mine"))

    assert (200, {"active": False}) == app.ask("/oauth/introspect", token="mine")
    assert (200, {}) == app.ask("/oauth/revoke", token="mine")
    is_a_problem(Player(world.site, "mine").get("/v1/me/apps"), 403, "insufficient-scope")
