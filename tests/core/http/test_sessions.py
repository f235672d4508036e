"""Sessions of browsers: cookies, proof that our own page has sent a request, and their end."""

from __future__ import annotations

import time
from http.cookies import SimpleCookie

import pytest

from service.core.http.access import sessions
from service.core.http.access.sessions import COOKIE, CSRF_COOKIE, MOST_SESSIONS, SESSION_SECONDS, device_of
from tests.driver import Player

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CSRF = "X-CSRF-Token"


def cookies_of(answer):
    """The cookies that a response sets, by name."""
    found = SimpleCookie()
    for line in answer.headers.getlist("Set-Cookie"):
        found.load(line)
    return found


class Browser:
    """A browser with a jar of cookies, which it sends with each request."""

    def __init__(self, site):
        self.site, self.jar = site, {}

    def call(self, method, path, body=None, *, want=None, own=True, headers=None, **kwargs):
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.jar.items())} if self.jar else {}
        if own and CSRF_COOKIE in self.jar:
            sent[CSRF] = self.jar[CSRF_COOKIE]
        answer = Player(self.site).call(method, path, body, headers={**sent, **(headers or {})}, want=want, **kwargs)
        for name, morsel in cookies_of(answer).items():
            self.jar[name] = morsel.value
            if morsel["max-age"] == "0":
                del self.jar[name]
        return answer

    def sign_up(self, name="Ash", **more):
        headers = {"User-Agent": FIREFOX}
        return self.call("POST", "/v1/players", {"name": name, "session": True}, want=201, headers=headers, **more)


@pytest.fixture
def browser(world):
    made = Browser(world.site)
    made.sign_up()
    return made


def test_sign_up_starts_a_session_and_shows_no_token(world):
    browser = Browser(world.site)
    answer = browser.sign_up()

    assert "" == answer.json["token"]
    assert "no-store" == answer.headers["Cache-Control"]
    assert answer.json["id"] == browser.call("GET", "/v1/me", want=200).json["id"]


def test_cookies_have_the_right_attributes(world):
    cookies = cookies_of(Browser(world.site).sign_up())

    session, csrf = cookies[COOKIE], cookies[CSRF_COOKIE]
    assert session["httponly"]
    assert not csrf["httponly"]
    for each in (session, csrf):
        assert ("Lax", "/", str(SESSION_SECONDS)) == (each["samesite"], each["path"], each["max-age"])
        assert not each["secure"]
        assert "" == each["domain"]
    assert session.value not in csrf.value


def test_cookies_are_secure_under_https(make_world):
    world = make_world(public_url="https://games.example.org")
    cookies = cookies_of(Browser(world.site).sign_up())

    assert cookies[COOKIE]["secure"]
    assert cookies[CSRF_COOKIE]["secure"]


@pytest.fixture
def make_world():
    from tests.core.http.conftest import World

    return World


def test_request_that_changes_something_needs_the_csrf_token(browser):
    name = {"name": "Birk"}

    assert "csrf" == browser.call("PATCH", "/v1/me", name, own=False, want=403).json["code"]
    for wrong in ("", "x", browser.jar[COOKIE], browser.jar[CSRF_COOKIE][:-1]):
        browser.call("PATCH", "/v1/me", name, own=False, headers={CSRF: wrong}, want=403)
    assert "Birk" == browser.call("PATCH", "/v1/me", name, want=200).json["name"]


def test_csrf_token_of_another_session_is_not_accepted(world, browser):
    other = Browser(world.site)
    other.sign_up("Birk")

    browser.call("DELETE", "/v1/session", own=False, headers={CSRF: other.jar[CSRF_COOKIE]}, want=403)
    # An attacker who can set cookies sets both to the same value of their choice.
    forged = {**browser.jar, CSRF_COOKIE: "mine"}
    cookie = "; ".join(f"{name}={value}" for name, value in forged.items())
    browser.call("DELETE", "/v1/session", own=False, headers={"Cookie": cookie, CSRF: "mine"}, want=403)
    browser.call("GET", "/v1/me", want=200)


def test_cross_site_request_is_rejected_even_with_the_token(browser):
    headers = {"Sec-Fetch-Site": "cross-site"}

    browser.call("PATCH", "/v1/me", {"name": "Birk"}, headers=headers, want=403)
    browser.call("PATCH", "/v1/me", {"name": "Birk"}, headers={"Sec-Fetch-Site": "same-origin"}, want=200)


def test_page_of_another_site_cannot_replace_the_session(world, browser):
    was = dict(browser.jar)
    body, headers = {"name": "Eve", "session": True}, {"Sec-Fetch-Site": "cross-site"}
    answer = browser.call("POST", "/v1/players", body, own=False, headers=headers, want=403)
    assert "csrf" == answer.json["code"]
    bearer = {**headers, "Authorization": f"Bearer {world.player('Eve').token}"}
    assert "csrf" == browser.call("POST", "/v1/session", own=False, headers=bearer, want=403).json["code"]

    assert was == browser.jar
    assert "Ash" == browser.call("GET", "/v1/me", want=200).json["name"]


def test_form_of_another_site_changes_nothing(browser):
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    browser.call("DELETE", "/v1/session", b"csrf_token=", own=False, headers=form, want=403)
    own = b"csrf_token=" + browser.jar[CSRF_COOKIE].encode()
    browser.call("DELETE", "/v1/session", own, own=False, headers=form, want=204)


def test_bearer_token_needs_no_csrf_token_and_wins_over_the_cookie(world, browser):
    birk = world.player("Birk")
    headers = {"Authorization": f"Bearer {birk.token}"}

    assert "Birk" == browser.call("GET", "/v1/me", headers=headers, want=200).json["name"]
    browser.call("PATCH", "/v1/me", {"name": "Bo"}, own=False, headers=headers, want=200)
    browser.call("GET", "/v1/me", headers={"Authorization": "Bearer wrong"}, want=401)


def test_session_token_is_no_password_for_sign_out_of_others(world, browser):
    """The token of a session also works as a bearer token, but a bearer token is no session."""
    ash = world.player("Birk")

    answer = Browser(world.site).call("GET", "/v1/me", headers={"Cookie": f"{COOKIE}={ash.token}"}, want=401)
    assert "no-token" == answer.json["code"]


def test_token_is_exchanged_for_a_session(world):
    ash, browser = world.player("Ash"), Browser(world.site)
    answer = browser.call(
        "POST", "/v1/session", headers={"Authorization": f"Bearer {ash.token}", "User-Agent": FIREFOX}, want=201
    )

    assert ash.id == browser.call("GET", "/v1/me", want=200).json["id"]
    listed = {each["id"]: each for each in browser.call("GET", "/v1/me/tokens", want=200).json["tokens"]}
    session = listed[answer.json["token_id"]]
    assert ("session", "Firefox on Linux", True) == (session["kind"], session["device"], session["current"])
    ash.call("DELETE", f"/v1/me/tokens/{session['created_by']}", want=204)
    assert "no-token" == browser.call("GET", "/v1/me", want=401).json["code"]


def test_session_cannot_be_exchanged_again(browser):
    assert "no-token" == browser.call("POST", "/v1/session", want=401).json["code"]


def test_session_has_the_scopes_of_its_token(world):
    ash, browser = world.player("Ash"), Browser(world.site)
    token = ash.post("/v1/me/tokens", {"label": "bot", "scopes": ["play"]}, want=201).json["token"]
    answer = browser.call("POST", "/v1/session", headers={"Authorization": f"Bearer {token}"}, want=201)

    assert ["play"] == answer.json["scopes"]
    assert "insufficient-scope" == browser.call("PATCH", "/v1/me", {"name": "Birk"}, want=403).json["code"]
    browser.call("DELETE", "/v1/session", want=204)


def test_token_for_one_game_cannot_be_exchanged(world):
    ash = world.player("Ash")
    game = ash.make_game("nim", 2)["id"]
    body = {"label": "one game", "scopes": ["account:read", "games:read"], "game": game}
    token = ash.post("/v1/me/tokens", body, want=201).json["token"]

    headers = {"Authorization": f"Bearer {token}"}
    answer = Browser(world.site).call("POST", "/v1/session", headers=headers, want=403)
    assert "insufficient-scope" == answer.json["code"]


def test_token_created_in_a_session_stays_after_sign_out(world, browser):
    bot = browser.call("POST", "/v1/me/tokens", {"label": "bot", "scopes": ["play"]}, want=201).json
    was = browser.jar[COOKIE]
    browser.call("DELETE", "/v1/session", want=204)

    assert (None, None) == (bot["expires_at"], bot["created_by"])
    Player(world.site, bot["token"]).get("/v1/me", want=200)
    Player(world.site, was).get("/v1/me", want=401)


def test_token_created_in_a_session_ends_with_the_token_of_the_session(world):
    ash, browser = world.player("Ash"), Browser(world.site)
    stolen = ash.post("/v1/me/tokens", {"label": "stolen", "scopes": ["account"]}, want=201).json
    browser.call("POST", "/v1/session", headers={"Authorization": f"Bearer {stolen['token']}"}, want=201)
    made = browser.call("POST", "/v1/me/tokens", {"label": "bot", "scopes": ["play"]}, want=201).json
    assert stolen["id"] == made["created_by"]

    ash.call("DELETE", f"/v1/me/tokens/{stolen['id']}", want=204)
    Player(world.site, made["token"]).get("/v1/me", want=401)


def test_sessions_do_not_count_as_tokens(make_world):
    world = make_world(tokens=2)
    ash = world.player("Ash")
    for _ in range(3):
        Browser(world.site).call("POST", "/v1/session", headers={"Authorization": f"Bearer {ash.token}"}, want=201)

    body = {"label": "bot", "scopes": ["play"]}
    ash.post("/v1/me/tokens", body, want=201)
    assert "too-many-tokens" == ash.post("/v1/me/tokens", body, want=429).json["code"]


def test_session_of_an_expiring_token_ends_with_it(world):
    ash, browser = world.player("Ash"), Browser(world.site)
    body = {"label": "short", "scopes": ["account"], "expires_in": 3600}
    token = ash.post("/v1/me/tokens", body, want=201).json
    answer = browser.call("POST", "/v1/session", headers={"Authorization": f"Bearer {token['token']}"}, want=201)

    assert token["expires_at"] == answer.json["expires_at"]
    assert ["account"] == answer.json["scopes"]


def test_sign_out_ends_the_session_and_removes_the_cookies(browser):
    was = dict(browser.jar)
    browser.call("DELETE", "/v1/session", want=204)

    assert {} == browser.jar
    browser.jar = was
    assert "no-token" == browser.call("GET", "/v1/me", want=401).json["code"]
    assert {} == browser.jar


def test_sign_out_with_a_token_is_no_sign_out(world):
    ash = world.player()

    assert "no-token" == ash.call("DELETE", "/v1/session", want=401).json["code"]
    ash.get("/v1/me", want=200)


def test_stale_cookie_does_not_hide_public_data(world, browser):
    browser.call("DELETE", "/v1/session", want=204)
    browser.jar = {COOKIE: "ows_gone"}

    answer = browser.call("GET", "/v1/games", want=200)
    assert "0" == cookies_of(answer)[COOKIE]["max-age"]


def test_sign_up_repeated_with_its_key_gives_the_same_session(world):
    first, second = Browser(world.site), Browser(world.site)
    key = {"Idempotency-Key": "k" * 40}
    body = {"name": "Ash", "session": True}

    one = first.call("POST", "/v1/players", body, headers=key, want=201)
    two = second.call("POST", "/v1/players", body, headers=key, want=201)
    assert one.json == two.json
    assert first.jar == second.jar


def test_session_renews_itself_once_a_day(browser, monkeypatch):
    ends = browser.call("GET", "/v1/me", want=200).json["expires_at"]
    assert [] == browser.call("GET", "/v1/me", want=200).headers.getlist("Set-Cookie")

    monkeypatch.setattr(sessions, "RENEW_SECONDS", 0)
    answer = browser.call("GET", "/v1/me", want=200)
    assert answer.json["expires_at"] >= ends
    assert str(SESSION_SECONDS) == cookies_of(answer)[COOKIE]["max-age"]


def test_session_that_was_revoked_is_not_renewed(world, browser, monkeypatch):
    me = browser.call("GET", "/v1/me", want=200).json
    accounts = world.store.accounts
    monkeypatch.setattr(sessions, "RENEW_SECONDS", 0)
    renew = accounts.renew

    def revoked_first(credential, *told):
        accounts.revoke(credential.player, credential.id)
        return renew(credential, *told)

    monkeypatch.setattr(type(accounts), "renew", lambda _, *told: revoked_first(*told))
    browser.call("GET", "/v1/me")
    assert not accounts.holds(me["id"], me["token_id"])
    assert [] == list(accounts.tokens(me["id"]))


def test_expired_session_is_over(world, browser, monkeypatch):
    monkeypatch.setattr("service.store.ports.accounts.time.time", lambda: 4e9)

    assert "no-token" == browser.call("GET", "/v1/me", want=401).json["code"]


def test_one_session_too_many_ends_the_oldest(world):
    ash, first = world.player("Ash"), Browser(world.site)
    bearer = {"Authorization": f"Bearer {ash.token}"}
    first.call("POST", "/v1/session", headers=bearer, want=201)
    time.sleep(0.002)  # sessions of the same millisecond are in no order
    for _ in range(MOST_SESSIONS):
        Browser(world.site).call("POST", "/v1/session", headers=bearer, want=201)

    first.call("GET", "/v1/me", want=401)
    listed = ash.get("/v1/me/tokens", want=200).json["tokens"]
    assert MOST_SESSIONS == sum(each["kind"] == "session" for each in listed)
    ash.get("/v1/me", want=200)


def test_all_other_sessions_and_tokens_are_revoked_together(world, browser):
    other = Browser(world.site)
    token = browser.call("POST", "/v1/me/tokens", {"label": "bot", "scopes": ["account"]}, want=201).json["token"]
    other.call("POST", "/v1/session", headers={"Authorization": f"Bearer {token}"}, want=201)

    browser.call("DELETE", "/v1/me/tokens", want=204)
    other.call("GET", "/v1/me", want=401)
    Player(world.site, token).get("/v1/me", want=401)
    (left,) = browser.call("GET", "/v1/me/tokens", want=200).json["tokens"]
    assert left["current"]


def test_private_response_depends_on_the_cookie(world, browser):
    ash = world.player()
    game = ash.make_game("nim", 2)["id"]

    assert "Cookie" in browser.call("GET", f"/v1/games/{game}", want=200).headers["Vary"]


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (FIREFOX, "Firefox on Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19 Safari/604",
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537 (KHTML, like Gecko) Chrome/140 Safari/537",
            "Chrome on Android",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/140 Safari/537 Edg/140", "Edge on Windows"),
        ("python-requests/2.34", ""),
        ("", ""),
    ],
)
def test_device_is_named_by_browser_and_system(agent, device):
    assert device == device_of(agent)


def test_same_key_in_another_session_is_another_request(world, browser):
    other = Browser(world.site)
    other.sign_up("Birk")
    body, key = {"label": "bot", "scopes": ["read"]}, {"Idempotency-Key": "same"}

    one = browser.call("POST", "/v1/me/tokens", body, headers=key, want=201).json
    two = other.call("POST", "/v1/me/tokens", body, headers=key, want=201).json
    assert one["token"] != two["token"]
    assert one == browser.call("POST", "/v1/me/tokens", body, headers=key, want=201).json


@pytest.mark.parametrize("value", ["yes", 1, None, [], {}])
def test_session_in_the_body_must_be_a_boolean(world, value):
    answer = Browser(world.site).call("POST", "/v1/players", {"name": "Ash", "session": value}, want=422)

    assert ("invalid", "/session") == (answer.json["code"], answer.json["errors"][0]["pointer"])
    assert {} == cookies_of(answer)


@pytest.mark.parametrize(
    ("method", "sent", "status", "code"),
    [
        ("POST", {}, 401, "no-token"),
        ("POST", {"Authorization": "Bearer wrong"}, 401, "bad-token"),
        ("POST", {"Authorization": "Basic YTpi"}, 401, "bad-token"),
        ("POST", {"Authorization": "Bearer"}, 401, "bad-token"),
        ("POST", {"Cookie": f"{COOKIE}=ows_unknown"}, 401, "no-token"),
        ("DELETE", {}, 401, "no-token"),
        ("DELETE", {"Authorization": "Bearer wrong"}, 401, "bad-token"),
        ("DELETE", {"Cookie": f"{COOKIE}=ows_unknown; {CSRF_COOKIE}=x", CSRF: "x"}, 401, "no-token"),
        ("DELETE", {"Cookie": f"{COOKIE}="}, 401, "no-token"),
    ],
)
def test_wrong_credentials_start_and_end_no_session(world, method, sent, status, code):
    answer = Browser(world.site).call(method, "/v1/session", headers=sent, want=status)

    assert code == answer.json["code"]
    assert all(not morsel.value for morsel in cookies_of(answer).values())
