"""A client library that knows nothing of this service: requests-oauthlib, over HTTP."""

from __future__ import annotations

import threading

import pytest
from oauthlib.oauth2 import InvalidGrantError
from requests_oauthlib import OAuth2Session
from werkzeug.serving import make_server

from tests.features.oauth.app import CALLBACK, Browser, fields, register

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def site(world, monkeypatch):
    """The service at a real address."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    server = make_server("127.0.0.1", 0, world.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_library_gets_and_refreshes_a_token_and_plays(world, site):
    game, ash, birk = world.table("Ash", "Birk")
    browser, app = Browser(world, ash), register(world, birk)
    session = OAuth2Session(app.id, redirect_uri=CALLBACK, scope=["games:read", "games:play"], pkce="S256")
    metadata = session.request("GET", f"{site}/.well-known/oauth-authorization-server", withhold_token=True).json()

    url, state = session.authorization_url(metadata["authorization_endpoint"])
    page = browser.get(url.removeprefix(site)).text
    form = {**fields(page), "where": "all", "until": "day", "decision": "allow"}
    back = browser.post("/oauth/authorize", form).headers["Location"]
    first = session.fetch_token(metadata["token_endpoint"], authorization_response=back, include_client_id=True)

    assert state == session._state
    command = session.post(f"{site}/v1/games/{game}/commands", json=HIDE, headers={"Prefer": "wait=10"})
    assert 200 == command.status_code
    second = session.refresh_token(metadata["token_endpoint"], client_id=app.id)
    assert first["access_token"] != second["access_token"]
    assert game == session.get(f"{site}/v1/games/{game}").json()["id"]
    with pytest.raises(InvalidGrantError):
        session.refresh_token(metadata["token_endpoint"], refresh_token=first["refresh_token"], client_id=app.id)
    assert 401 == session.get(f"{site}/v1/games/{game}").status_code
