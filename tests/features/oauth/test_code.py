"""The authorization code grant: the page, the code, the tokens."""

from __future__ import annotations

import json

from tests.core.http.problem import is_a_problem
from tests.features.oauth.app import SCOPE

HIDE = {"type": "hide", "pennies": 1}


def test_app_plays_after_the_player_has_allowed_it(world, table):
    game, browser, app = table

    back = app.consent(browser)
    tokens = app.exchange(back["code"])

    assert {"code", "state", "iss"} == back.keys()
    assert ("st&te=1", "http://localhost") == (back["state"], back["iss"])
    assert ("Bearer", 3600, SCOPE) == tuple(tokens[name] for name in ("token_type", "expires_in", "scope"))
    player = app.player(tokens, browser)
    player.send(game, HIDE, want=200)
    assert "Penny Helper" == world.public.events(game)[-1]["via"]
    assert browser.player.view(game) == player.view(game)


def test_page_says_what_the_app_may_do(table):
    game, browser, app = table

    page = browser.get(app.url())

    for text in ("Let Penny Helper act for you?", "<strong>Ash</strong>", "Read your games", "Play: send moves"):
        assert text in page.text
    assert "invite players" not in page.text
    assert f'value="{game}"> Only ' in page.text
    assert " (Pennies with Birk)" in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://helper.example.org" in policy
    assert "default-src 'none'" in policy
    assert ("DENY", "no-store") == (page.headers["X-Frame-Options"], page.headers["Cache-Control"])


def test_token_is_limited_to_the_scopes_that_were_allowed(table):
    game, browser, app = table

    player = app.player(app.connect(browser, scope="games:read"), browser)

    player.view(game)
    is_a_problem(player.send(game, HIDE), 403, "insufficient-scope")
    is_a_problem(player.get("/v1/me"), 403, "insufficient-scope")


def test_player_can_limit_an_app_to_one_game(world, table):
    game, browser, app = table
    other = browser.player.make_game()["id"]

    tokens = app.connect(browser, where=game)

    assert game == tokens["game"]
    player = app.player(tokens, browser)
    player.send(game, HIDE, want=200)
    is_a_problem(player.get(f"/v1/games/{other}"), 403, "insufficient-scope")
    is_a_problem(player.get("/v1/games"), 403, "insufficient-scope")


def test_app_can_ask_for_one_game_only(table):
    game, browser, app = table
    other = browser.player.make_game()["id"]

    page = browser.get(app.url(game=game)).text
    assert "All my games" not in page
    assert other not in page

    assert game == app.connect(browser, where=game, game=game)["game"]
    for where in ("all", other):
        app.consent(browser, where=where, game=game, want=422)


def test_refused_request_returns_to_the_app(table):
    _, browser, app = table

    back = app.consent(browser, decision="deny")

    assert ("access_denied", "st&te=1", "http://localhost") == (back["error"], back["state"], back["iss"])
    assert [] == browser.player.get("/v1/me/apps", want=200).json["apps"]


def test_refresh_gives_new_tokens(table):
    game, browser, app = table
    first = app.connect(browser)

    second = app.refresh(first["refresh_token"])
    third = app.refresh(second["refresh_token"], scope="games:read")

    assert "bad-token" == app.player(first, browser).get(f"/v1/games/{game}", want=401).code
    assert 3 == len({each["refresh_token"] for each in (first, second, third)})
    assert "games:read" == third["scope"]
    is_a_problem(app.player(third, browser).send(game, HIDE), 403, "insufficient-scope")
    assert SCOPE == app.refresh(third["refresh_token"])["scope"]


def test_introspection_describes_a_token_of_the_app(world, table):
    game, browser, app = table
    tokens = app.connect(browser, where=game)

    for name in ("access_token", "refresh_token"):
        status, about = app.ask("/oauth/introspect", token=tokens[name])
        assert 200 == status
        assert (True, app.id, SCOPE, browser.player.id, game) == tuple(
            about[each] for each in ("active", "client_id", "scope", "sub", "game")
        )
    assert (200, {"active": False}) == app.ask("/oauth/introspect", token="nonsense")
    assert (200, {"active": False}) == app.ask("/oauth/introspect", token=browser.player.token)


def test_revocation_of_a_token_ends_the_connection(table):
    _, browser, app = table
    for name in ("access_token", "refresh_token"):
        tokens = app.connect(browser)

        assert (200, {}) == app.ask("/oauth/revoke", token=tokens[name])

        assert 401 == app.player(tokens, browser).get("/v1/games").status
        assert "invalid_grant" == app.refresh(tokens["refresh_token"], 400)["error"]
        assert (200, {}) == app.ask("/oauth/revoke", token=tokens[name]), "unknown tokens are no error"
    assert [] == browser.player.get("/v1/me/apps").json["apps"]


def test_discovery_documents_lead_to_the_endpoints(world):
    server = world.public.get("/.well-known/oauth-authorization-server", want=200).json
    resource = world.public.get("/.well-known/oauth-protected-resource", want=200).json
    refused = world.public.get("/v1/me", want=401)

    assert [server["issuer"]] == resource["authorization_servers"]
    assert ["S256"] == server["code_challenge_methods_supported"]
    assert "account:write" not in server["scopes_supported"]
    assert '/.well-known/oauth-protected-resource"' in refused.headers["WWW-Authenticate"]
    paths = {rule.rule for rule in world.app.url_map.iter_rules()}
    ends = {value.removeprefix(server["issuer"]) for name, value in server.items() if name.endswith("_endpoint")}
    assert len(ends) == 5
    assert ends <= paths


def test_programs_on_other_origins_can_read_the_endpoints(world):
    for path in ("/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"):
        assert "*" == world.public.get(path).headers["Access-Control-Allow-Origin"]
    answer = world.site.call("POST", "/oauth/token", {"Content-Type": "application/x-www-form-urlencoded"}, b"")
    assert (400, "*") == (answer.status, answer.headers["Access-Control-Allow-Origin"])
    assert "unsupported_grant_type" == json.loads(answer.body)["error"]
