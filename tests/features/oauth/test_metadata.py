"""Apps without registration: their client_id is the URL of a document, which this service fetches from a hostile network."""

from __future__ import annotations

import json
import ssl
import time

import pytest

from service.core.outbound import sender
from service.core.outbound.addresses import AllowedAddresses
from service.features.oauth.metadata import BadMetadata, read_metadata, target_of
from service.ops.settings import Settings
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.features.oauth.app import CALLBACK, App, Browser
from tests.notifications.receiver import document, drip, endless, hang, redirect
from tests.notifications.test_sender import certified, names

__all__ = ["certified", "names"]

PUBLIC = AllowedAddresses.from_settings(Settings())
URL = "https://helper.example.org/oauth.json"


def about(url=URL, **changed):
    told = {"client_id": url, "client_name": "Penny Helper", "redirect_uris": [CALLBACK], **changed}
    return json.dumps({name: value for name, value in told.items() if value is not None}).encode()


@pytest.fixture
def published(certified, names, monkeypatch):
    """A service that may reach the receiver, a player's browser, and the receiver."""
    receiver, trusted = certified
    monkeypatch.setattr(sender, "load_trusted_authorities", lambda: trusted)
    world = World(webhook_networks=("127.0.0.0/8",), webhook_ports=(str(receiver.port),))
    app = App(world, receiver.url("/oauth.json", "https", "hooks.example"))
    return receiver, app, Browser(world, world.player("Ash"))


def test_app_is_known_by_its_document(published):
    receiver, app, browser = published
    receiver.act["/oauth.json"] = document(about(app.id))

    page = browser.get(app.url()).text
    tokens = app.connect(browser)

    assert "Let Penny Helper (hooks.example) act for you?" in page
    assert "The app is published at <strong>hooks.example</strong>." in page
    assert app.refresh(tokens["refresh_token"])["access_token"]
    (known,) = browser.player.get("/v1/me/apps", want=200).json["apps"]
    assert ("Penny Helper (hooks.example)", app.id) == (known["name"], known["client_id"])
    assert 1 == len(receiver.got["/oauth.json"]), "the document is kept for an hour"


def test_redirect_uri_must_be_in_the_document(published):
    receiver, app, browser = published
    receiver.act["/oauth.json"] = document(about(app.id))

    browser.get(app.url(redirect_uri="https://evil.example.org/callback"), want=400)


@pytest.mark.parametrize(
    "answer",
    [
        document(b"", 404),
        document(about("https://hooks.example/oauth.json")),
        document(b" " * 6000),
        document(b"{"),
        redirect("https://helper.example.org/other.json"),
        endless(200),
    ],
    ids=["404", "another id", "large", "not JSON", "redirect", "endless"],
)
def test_bad_document_is_reported_and_not_kept(published, answer):
    receiver, app, browser = published
    receiver.act["/oauth.json"] = answer

    page = browser.get(app.url(), want=400)

    assert "The app is unknown." in page.text
    assert "metadata of the app" in page.text
    receiver.act["/oauth.json"] = document(about(app.id))
    browser.get(app.url(), want=200)


@pytest.mark.parametrize("act", [hang(5), drip(5)], ids=["silent", "slow"])
def test_slow_document_is_given_up(published, monkeypatch, act):
    receiver, app, browser = published
    monkeypatch.setattr("service.features.oauth.metadata.FETCH_SECONDS", 0.5)
    receiver.act["/oauth.json"] = act
    begun = time.monotonic()

    page = browser.get(app.url(), want=400)

    assert "too-slow" in page.text
    assert time.monotonic() - begun < 4


def test_untrusted_certificate_is_refused(published, monkeypatch):
    _, app, browser = published
    monkeypatch.setattr(sender, "load_trusted_authorities", ssl.create_default_context)

    assert "no-security" in browser.get(app.url(), want=400).text


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "localhost"])
def test_metadata_url_of_a_private_address_is_not_fetched(world, host, monkeypatch):
    def connect(*_):
        raise AssertionError("a private address was reached")

    monkeypatch.setattr("socket.create_connection", connect)
    browser = Browser(world, world.player())

    page = browser.get(App(world, f"https://{host}/oauth.json").url(), want=400)

    assert "Private addresses" in page.text or "forbidden-address" in page.text


def test_name_that_leads_to_a_private_address_is_not_fetched(world, names, monkeypatch):
    browser = Browser(world, world.player())

    assert "forbidden-address" in browser.get(App(world, "https://hooks.example/oauth.json").url(), want=400).text


def test_account_cannot_have_many_documents_fetched(world, names, monkeypatch):
    monkeypatch.setattr("service.features.oauth.metadata.FETCHES_HOUR", 2)
    browser = Browser(world, world.player())

    found = [
        world.site.call("GET", App(world, f"https://hooks.example/{n}").url(), browser.headers, None) for n in range(3)
    ]

    assert [400, 400, 429] == [each.status for each in found]


def test_program_without_a_session_cannot_have_documents_fetched(world, monkeypatch):
    monkeypatch.setattr("service.core.outbound.sender.Sender.get", lambda *_: pytest.fail("fetched"))
    app = App(world, "https://hooks.example/oauth.json")

    assert "invalid_grant" == app.exchange("owc_a.b.c.d", 400)["error"]
    assert 200 == app.ask("/oauth/device_authorization", scope="games:read")[0]
    assert 401 == world.site.call("GET", app.url(), {}, None).status


@pytest.mark.parametrize(
    "url",
    [
        "https://helper.example.org",
        "http://helper.example.org/oauth.json",
        "https://user@helper.example.org/oauth.json",
        "https://helper.example.org/oauth.json#x",
        "https://helper.example.org/a/../oauth.json",
        "https://helper.example.org/a/%2E%2e/oauth.json",
        "https://helper.example.org/./oauth.json",
        "https://helper.example.org/..",
        "https://helper.example.org:22/oauth.json",
        "https://helper.example.org/" + "x" * 1000,
    ],
)
def test_invalid_metadata_url_is_refused(url):
    with pytest.raises(BadMetadata):
        target_of(url, PUBLIC)


@pytest.mark.parametrize(
    "body",
    [
        None,
        b"[]",
        b"\xff",
        about(client_id="https://other.example.org/oauth.json"),
        about(client_id=None),
        about(redirect_uris=None),
        about(redirect_uris=[]),
        about(redirect_uris="https://helper.example.org/callback"),
        about(redirect_uris=[CALLBACK, 5]),
        about(redirect_uris=[CALLBACK] * 11),
        about(redirect_uris=["javascript:alert(1)"]),
        about(redirect_uris=["http://helper.example.org/callback"]),
        about(token_endpoint_auth_method="client_secret_post"),
        about(client_secret="x"),
    ],
)
def test_invalid_metadata_is_refused(body):
    with pytest.raises(BadMetadata):
        read_metadata(URL, body)


@pytest.mark.parametrize("name", [None, "", 5, "\u202e\u200b", "\u0301" * 9])
def test_app_without_a_readable_name_is_called_an_app(name):
    assert "An app" == read_metadata(URL, about(client_name=name)).name


def test_unknown_client_is_reported(world):
    browser = Browser(world, world.player())

    for id_ in ("anone", "", "http://helper.example.org/x", "x" * 2000):
        assert "The app is unknown." in browser.get(App(world, id_).url(), want=400).text
    app = App(world, "anone")
    assert "invalid_client" == app.exchange("owc_x", 400)["error"]
    is_a_problem(browser.player.call("DELETE", "/v1/me/apps/anone"), 404, "unknown-app")
