"""Cache headers: any cache may store public answers, and none may store answers to an account."""

from __future__ import annotations

import re

import pytest

from service.core.http.reference.routes import ROUTES
from tests.core.http.conftest import World
from tests.driver import Player

OWN = {"private, no-store", "no-store"}
SAME_FOR_ALL = ("/v1/ratings", "/v1/kinds", "/v1/kinds/", "/v1/keys", "/v1/rulesets", "/v1/scenarios")
"""Paths with the same answer for every client."""
DRAWN = ("board.svg", "board.png", "charts/points.svg", "course")
"""Paths of a game with the same public answer for every client, unless the game is private."""
FEEDS = "/feeds/"
"""Feed readers store feeds and revalidate them by ETag; the URL is the secret."""


@pytest.fixture(scope="module")
def world():
    return World(rate_requests=0)


def addresses(world, game):
    """Every path that accepts a token and has no parameter other than the game."""
    for rule in world.app.url_map.iter_rules():
        docs = ROUTES.get(rule.endpoint)
        if docs is None or "GET" not in rule.methods or docs.auth == "none" or rule.rule.startswith(FEEDS):
            continue
        path = rule.rule.replace("<game>", game)
        if not re.search(r"[<>]", path):
            yield path


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_answers_to_an_account_are_not_cacheable_unless_equal_for_all(world, visibility):
    game, ash, _ = world.table("Ash", "Birk", visibility=visibility)
    asked = []
    for path in addresses(world, game):
        if path.startswith(SAME_FOR_ALL) or (visibility == "public" and path.endswith(DRAWN)):
            continue
        for named in ("", "?at=1") if path.endswith(("/view", "/position", *DRAWN)) else ("",):
            answer = ash.get(path + named)
            assert answer.headers.get("Cache-Control") in OWN, (path + named, answer.status, answer.headers)
            asked.append(path)

    assert {f"/v1/games/{game}/{name}" for name in ("view", "options", "events", "history", "talk")} <= {*asked}
    assert len(asked) > 20


@pytest.mark.parametrize(
    "path", ["", "/view", "/view?at=1", "/events", "/history", "/board.svg", "/board.svg?at=1", "/talk"]
)
def test_public_answers_are_cacheable(world, path):
    game, *_ = world.table()

    kept = world.public.get(f"/v1/games/{game}{path}", want=200).headers["Cache-Control"]

    assert ("public, max-age=31536000, immutable" if "?at" in path else "no-cache") == kept


def test_an_uncacheable_answer_can_be_revalidated_by_etag(world):
    game, ash, _ = world.table()
    first = ash.get(f"/v1/games/{game}/view", want=200)

    same = ash.get(f"/v1/games/{game}/view", headers={"If-None-Match": first.headers["ETag"]}, want=304)

    assert "private, no-store" == first.headers["Cache-Control"] == same.headers["Cache-Control"]


def test_404_answers_about_a_private_game_are_not_cacheable(world):
    game, *_ = world.table(visibility="private")

    for path in ("", "/view", "/history", "/board.svg"):
        answer = Player(world.site).get(f"/v1/games/{game}{path}", want=404)
        assert "no-store" == answer.headers["Cache-Control"]
