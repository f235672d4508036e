"""Every request has an ID, which is in the response and in the logs of the API and of the workers."""

from __future__ import annotations

import re

import pytest
import structlog

from service.ops.logging import configure
from tests.pennies import PenniesRules

MADE = re.compile(r"[0-9a-f]{16}")
HIDE = {"type": "hide", "pennies": 1}


@pytest.mark.parametrize("given", ["a", "req-1", "01J8:x/y+z=", "x" * 64])
def test_a_valid_request_id_is_echoed(world, given):
    assert given == world.public.get("/v1/kinds", headers={"X-Request-Id": given}).headers["X-Request-Id"]


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", 'a"b', "{a}", "é", "a;b", None])
def test_an_invalid_or_missing_request_id_is_replaced(world, given):
    headers = {} if given is None else {"X-Request-Id": given}

    assert MADE.fullmatch(world.public.get("/v1/kinds", headers=headers).headers["X-Request-Id"])


def test_every_response_has_the_request_id(world):
    game, ash, _ = world.table()
    paths = [f"/v1/games/{game}/view", "/v1/games/nowhere", "/nowhere", "/healthz", f"/v1/games/{game}/board.svg"]
    for path in [*paths, f"/v1/games/{game}/view"]:  # the second time by the fast path
        assert "r1" == ash.get(path, headers={"X-Request-Id": "r1"}).headers["X-Request-Id"]
    assert len({ash.get("/v1/me").headers["X-Request-Id"] for _ in range(3)}) == 3


def test_the_worker_logs_the_request_id_of_a_rules_fault(world, monkeypatch):
    game, ash, _ = world.table()

    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(PenniesRules, "decide", broken)
    with structlog.testing.capture_logs() as logs:
        ash.post(f"/v1/games/{game}/commands", HIDE, headers={"X-Request-Id": "mine", "Prefer": "wait=5"}, want=409)

    assert ["mine"] == [entry["request_id"] for entry in logs if entry["event"] == "rules_fault"]


def test_log_lines_contain_the_request_id(world, monkeypatch, capsys):
    configure()
    monkeypatch.setattr("service.core.http.resources.kinds.build_kind", lambda _: 1 / 0)
    world.public.get("/v1/kinds", headers={"X-Request-Id": "broken-1"}, want=500)
    assert '"request_id": "broken-1"' in capsys.readouterr().err


def test_the_request_id_is_not_part_of_the_commit(world):
    game, ash, _ = world.table()
    ash.post(f"/v1/games/{game}/commands", HIDE, headers={"X-Request-Id": "mine", "Prefer": "wait=5"}, want=200)

    assert not [stored for stored in world.store.log.commits(game) if b"mine" in stored.body]


@pytest.mark.parametrize("token", ["owt_nobody", None])
def test_a_401_response_has_the_remaining_rate_limit(world, token):
    world.app.extensions["oraclewheel"].rate_limiter.per_minute = 600
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    told = world.public.get("/v1/me", headers=headers, want=401).headers

    assert told["RateLimit"].startswith('"requests";r=')
    assert told["RateLimit-Policy"]


def test_a_429_response_has_a_remaining_rate_limit_of_zero(world):
    world.app.extensions["oraclewheel"].rate_limiter.per_minute = 2
    for _ in range(4):
        told = world.public.get("/v1/kinds")

    assert 429 == told.status
    assert told.headers["RateLimit"].startswith('"requests";r=0;t=')


@pytest.mark.parametrize("path", ["/v1/kinds", "/v1/kinds/battalia"])
def test_kinds_have_etags(world, path):
    tag = world.public.get(path, want=200).headers["ETag"]

    world.public.get(path, headers={"If-None-Match": tag}, want=304)
    world.public.get(path, headers={"If-None-Match": '"other"'}, want=200)
