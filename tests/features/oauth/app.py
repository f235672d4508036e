"""A browser that is signed in, and an app that asks it for access."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import secrets
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from service.core.http.access.sessions import COOKIE, csrf_token
from tests.driver import Player, wanted

CALLBACK = "https://helper.example.org/callback"
SCOPE = "games:read games:play"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Browser:
    """The browser of a player who is signed in."""

    def __init__(self, world, player):
        self.world, self.player = world, player
        bearer = {"Authorization": f"Bearer {player.token}"}
        answer = world.site.call("POST", "/v1/session", bearer, None)
        cookies = dict(each.partition(";")[0].split("=", 1) for each in answer.headers.getlist("Set-Cookie"))
        self.token = cookies[COOKIE]

    @property
    def headers(self):
        return {"Cookie": f"{COOKIE}={self.token}"}

    def get(self, url, want=200):
        return wanted(self.world.site.call("GET", url, self.headers, None), want, url)

    def post(self, url, form, want=303, headers=None, csrf=None):
        own = {"csrf_token": csrf_token(self.token) if csrf is None else csrf}
        body = urlencode({**own, **form}).encode()
        return wanted(self.world.site.call("POST", url, {**self.headers, **FORM, **(headers or {})}, body), want, url)


def fields(page):
    """The hidden fields of a page's form."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    return {name: html.unescape(value) for name, value in found}


def challenge(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


class App:
    """A public client with one redirect URI."""

    def __init__(self, world, id_, redirect=CALLBACK):
        self.world, self.id, self.redirect = world, id_, redirect
        self.verifier = secrets.token_urlsafe(40)

    def url(self, **changed):
        """The URL that the app opens; a parameter that is None is left out."""
        told = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.redirect,
            "scope": SCOPE,
            "state": "st&te=1",
            "code_challenge": challenge(self.verifier),
            "code_challenge_method": "S256",
            **changed,
        }
        return "/oauth/authorize?" + urlencode({name: value for name, value in told.items() if value is not None})

    def consent(self, browser, where="all", until="month", decision="allow", want=303, **changed):
        """Open the page and answer it. Returns the parameters with which the player returns to the app."""
        page = browser.get(self.url(**changed)).text
        form = {**fields(page), "where": where, "until": until, "decision": decision}
        answer = browser.post("/oauth/authorize", form, want)
        if want != 303:
            return answer
        target, _, query = answer.headers["Location"].partition("?")
        assert changed.get("redirect_uri", self.redirect) == target
        return dict(parse_qsl(query))

    def ask(self, path, **form):
        """Send a form to an endpoint."""
        answer = self.world.site.call("POST", path, FORM, urlencode({"client_id": self.id, **form}).encode())
        assert answer.headers["Content-Type"].startswith("application/json"), answer.text
        return answer.status, json.loads(answer.body)

    def exchange(self, code, want=200, **changed):
        told = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
            **changed,
        }
        status, answer = self.ask("/oauth/token", **{name: value for name, value in told.items() if value is not None})
        assert want == status, answer
        return answer

    def refresh(self, token, want=200, **more):
        status, answer = self.ask("/oauth/token", grant_type="refresh_token", refresh_token=token, **more)
        assert want == status, answer
        return answer

    def connect(self, browser, **consent):
        """The tokens after the player has allowed it."""
        return self.exchange(self.consent(browser, **consent)["code"])

    def player(self, tokens, browser):
        """The player by the app's access token."""
        return Player(self.world.site, tokens["access_token"], browser.player.id)


def register(world, owner, *uris, name="Penny Helper"):
    """Register an app and return it with its first redirect URI."""
    made = owner.post("/v1/apps", {"name": name, "redirect_uris": list(uris or (CALLBACK,))}, want=201).json
    return App(world, made["id"], (uris or (CALLBACK,))[0])


def parameters(url):
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
