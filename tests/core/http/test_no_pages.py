"""No request to the API, however malformed, is answered with an HTML page of the framework."""

from __future__ import annotations

import re

import pytest

from tests.driver import Player

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FROB")


def ways(path):
    """The path, and malformed variants of it."""
    return path, path.replace("/v1/", "/v1//", 1), f"{path}//", f"/{path}"


def test_no_path_under_v1_answers_any_method_with_html(world):
    client = world.app.test_client()
    rules = {rule.rule for rule in world.app.url_map.iter_rules() if rule.rule.startswith("/v1/")}
    assert len(rules) > 60
    for rule in sorted(rules):
        for path in ways(re.sub("<[^>]*>", "x", rule)):
            for method in METHODS:
                # Werkzeug's client would read `//v1/…` as a host.
                environ = {"PATH_INFO": path}
                answer = client.open(path, method=method, environ_overrides=environ)
                said = f"{method} {path} is {answer.status_code} {answer.mimetype}"
                assert "text/html" != answer.mimetype, said
                assert answer.status_code < 300 or answer.status_code >= 400, said
                assert answer.status_code != 500, said
                if answer.status_code >= 400:
                    assert "application/problem+json" == answer.mimetype, said


def test_a_path_with_two_slashes_is_404(world):
    ash = Player.register(world.site)
    for path in ("/v1/kinds/nim//clauses", "/v1//kinds", "//v1/kinds", "/v1/kinds//"):
        answer = ash.get(path)
        assert (404, "not-found") == (answer.status, answer.code), path


@pytest.mark.parametrize("accept", ["", " ", ","])
def test_an_empty_accept_header_gets_the_default_format(world, accept):
    game, ash, _ = world.table()
    first = {
        "/v1/kinds/nim/clauses": "text/markdown",
        "/v1/kinds/nim/guide": "text/markdown",
        f"/v1/games/{game}/events": "application/json",
        f"/v1/games/{game}/events?digest=turn": "application/json",
        f"/v1/games/{game}/view": "application/json",
        f"/v1/games/{game}/export": "application/x-ndjson",
        f"/v1/games/{game}/board.svg": "image/svg+xml",
        "/v1/me": "application/json",
    }
    for path, form in first.items():
        answer = ash.get(path, headers={"Accept": accept})
        assert (200, form) == (answer.status, answer.headers["Content-Type"].partition(";")[0]), path
    assert 406 == ash.get("/v1/kinds/nim/clauses", headers={"Accept": "image/png"}).status
