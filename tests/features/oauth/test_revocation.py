"""A player or an operator who revokes an app's token ends its connection: the app cannot get another token."""

from __future__ import annotations

import pytest

from service.core.accounts import apps
from service.core.http.access.sessions import csrf_token
from service.ops import accounts as administration
from tests.core.http.conftest import World
from tests.driver import Player
from tests.features.oauth.app import Browser


def revoke_one(_, app, browser, tokens):
    own = app.player(tokens, browser).get("/v1/me", want=200).json["token_id"]
    browser.player.call("DELETE", f"/v1/me/tokens/{own}", want=204)


def revoke_all(_, app, browser, tokens):
    browser.player.call("DELETE", "/v1/me/tokens", want=204)


def reset(world, app, browser, tokens):
    administration.reset_sign_in(world.store, (), "root", browser.player.id, "Stolen.", remove_ways=False)


@pytest.mark.parametrize(
    ("how", "has_access"), [(revoke_one, True), (revoke_all, True), (revoke_all, False), (reset, True), (reset, False)]
)
def test_app_gets_no_other_token_after_its_token_is_revoked(world, table, how, has_access):
    _, browser, app = table
    tokens = app.connect(browser, scope="account:read games:read")
    if not has_access:
        for each in world.store.accounts.tokens(browser.player.id):
            if each.kind == "app":
                world.store.accounts.revoke(browser.player.id, each.id)

    how(world, app, browser, tokens)

    app.player(tokens, browser).get("/v1/me", want=401)
    assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]


def test_app_that_revokes_its_own_token_ends_its_connection(table):
    _, browser, app = table
    tokens = app.connect(browser, scope="account:read")
    own = app.player(tokens, browser)

    own.call("DELETE", f"/v1/me/tokens/{own.get('/v1/me', want=200).json['token_id']}", want=204)

    assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]
    assert "unknown-token" == browser.player.call("DELETE", "/v1/me/tokens/c0", want=404).code


def second_session(world, player, seconds):
    """A browser whose session comes from a token with an expiry."""
    body = {"scopes": ["account"], "expires_in": seconds}
    made = player.post("/v1/me/tokens", body, want=201).json
    return made["id"], Browser(world, Player(world.site, made["token"], player.id))


def test_connection_ends_with_the_token_that_its_session_comes_from(world, table):
    _, browser, app = table
    token, other = second_session(world, browser.player, 3600)
    tokens = app.connect(other, scope="account:read", until="year")
    (connection,) = browser.player.get("/v1/me/apps", want=200).json["apps"]

    assert connection["expires_at"] <= world.store.schedule.now() + 3600_000
    browser.player.call("DELETE", f"/v1/me/tokens/{token}", want=204)

    app.player(tokens, browser).get("/v1/me", want=401)
    assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]
    assert [] == browser.player.get("/v1/me/apps", want=200).json["apps"]


def test_connection_stays_when_the_browser_signs_out(table):
    _, browser, app = table
    tokens = app.connect(browser, scope="account:read")

    browser.world.site.call(
        "DELETE", "/v1/session", {**browser.headers, "X-CSRF-Token": csrf_token(browser.token)}, None
    )

    app.refresh(tokens["refresh_token"])


def test_session_that_is_revoked_meanwhile_connects_no_app(world, table, monkeypatch):
    _, browser, app = table
    add = apps.add_connection

    def revoked_first(store, connection):
        apps.revoke_all(store, connection.player)
        add(store, connection)

    monkeypatch.setattr(apps, "add_connection", revoked_first)

    app.consent(browser, want=401)

    assert [] == list(apps.list_connections(world.store, browser.player.id))


def test_account_keeps_its_newest_connections(world, table, monkeypatch):
    _, browser, app = table
    monkeypatch.setattr(apps, "MOST_CONNECTIONS", 2)

    first, *rest = [app.connect(browser) for _ in range(3)]

    assert 2 == len(apps.list_connections(world.store, browser.player.id))
    app.refresh(first["refresh_token"], 400)
    assert all(app.refresh(each["refresh_token"]) for each in rest)


def test_app_of_a_suspended_owner_gets_nothing_until_the_owner_is_restored(world, table):
    _, browser, app = table
    tokens = app.connect(browser)
    owner = apps.find_app(world.store, app.id).owner
    administration.suspend_account(world.store, "root", owner, "Spam.", None)

    assert "No app with this client_id" in browser.get(app.url(), 400).text
    assert "invalid_client" == app.refresh(tokens["refresh_token"], 400)["error"]

    administration.restore_account(world.store, "root", owner, "A mistake.")
    app.refresh(tokens["refresh_token"])


@pytest.mark.parametrize(("url", "cached"), [("", "no-store"), ("https://games.example.org", "public, max-age=300")])
def test_discovery_is_cached_only_with_a_configured_url(url, cached):
    world = World(public_url=url)

    for path in ("/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"):
        assert cached == world.public.get(path, want=200).headers["Cache-Control"]
