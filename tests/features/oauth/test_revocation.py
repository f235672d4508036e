"""A player or an operator who revokes an app's token ends its connection: the app cannot get another token."""

from __future__ import annotations

import pytest

from service.ops import accounts as administration


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
