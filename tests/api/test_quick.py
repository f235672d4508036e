"""The quick way to a view and the ordinary one give the same answers."""

from __future__ import annotations

import pytest

from domain.dice import Dice
from service.api.quick import views as quick
from tests.api.conftest import World
from tests.driver import Player, play_out

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture(params=[{}, {"cors_origins": ("https://play.example",)}, {"rate_requests": 0}])
def world(request):
    return World(**request.param)


def both(monkeypatch, player, game, taken=None, **headers):
    """The answers of both ways; whether the quick one was taken."""
    path = f"/v1/games/{game}/view"
    player.get(path, headers=headers)
    told = []
    real = quick.ViewFastPath._view

    def watched(self, *args):
        told.append(real(self, *args))
        return told[-1]

    with monkeypatch.context() as patch:
        patch.setattr(quick.ViewFastPath, "_view", watched)
        one = player.get(path, headers=headers)
    with monkeypatch.context() as patch:
        patch.setattr(quick.ViewFastPath, "_view", lambda *_: None)
        other = player.get(path, headers=headers)
    if taken is not None:
        assert taken == (told[-1] is not None)
    return plain(one), plain(other)


def plain(answer):
    """What is compared: everything but the request's name and how many are left, which the first of two has one more of."""
    headers = {name: value for name, value in answer.headers.items() if name not in ("RateLimit", "X-Request-Id")}
    return answer.status, headers, "RateLimit" in answer.headers, answer.body


def test_whoever_looks_and_however_often_it_is_the_same(world, monkeypatch):
    game, ash, birk = world.table(visibility="unlisted")
    eyes = Player(world.site, ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"])
    for player in (ash, birk, eyes, world.player(), world.public):
        etag = player.get(f"/v1/games/{game}/view").headers["ETag"]
        for headers in ({}, {"If-None-Match": etag}, {"If-None-Match": f'"77", W/{etag}'}, {"If-None-Match": '"0"'}):
            one, other = both(monkeypatch, player, game, taken=True, **headers)
            assert one == other


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ('"{}"', 304),
        ('W/"{}"', 304),
        ("*", 304),
        ('"0", "{}"', 304),
        ('"0","{}"', 304),
        ('W/"0" , W/"{}", "1"', 304),
        ("{}", 200),
        ("W/{}", 200),
        ('{}, "0"', 200),
        ('"0"', 200),
        ('"0{}"', 200),
        ('"{}-1"', 200),
        ('"0", *', 200),
        ("", 200),
        (",", 200),
        ('"{}', 200),
        ('"0, W/"', 200),
    ],
)
def test_a_tag_is_known_by_its_quotes_and_to_both_ways_alike(monkeypatch, form, status):
    world = World()
    game, ash, _ = world.table()
    seen = ash.get(f"/v1/games/{game}/view").headers["ETag"].strip('"')

    one, other = both(monkeypatch, ash, game, **{"If-None-Match": form.format(seen)})

    assert one == other
    assert status == one[0]


def test_whatever_is_not_as_usual_goes_the_ordinary_way(world, monkeypatch):
    game, ash, _ = world.table(visibility="private")
    waiting = ash.make_game()["id"]

    for player, id_, headers in [
        (world.player(), game, {}),
        (world.public, game, {}),
        (ash, "gnone", {}),
        (ash, waiting, {}),
        (ash, game, {"Origin": "https://play.example"}),
        (ash, game, {"Authorization": f"bearer {ash.token}"}),
        (ash, game, {"Authorization": "Bearer nonsense"}),
    ]:
        one, other = both(monkeypatch, player, id_, taken=False, **headers)
        assert one == other


def test_a_finished_game_looks_the_same(world, monkeypatch):
    game, ash, birk = world.table(options={"points": 1})
    play_out([ash, birk], game, Dice(b"5" * 32))

    one, other = both(monkeypatch, ash, game, taken=True)

    assert one == other


def test_the_limit_holds_on_the_quick_way_too():
    world = World(rate_requests=12)
    game, ash, _ = world.table()

    statuses = [ash.get(f"/v1/games/{game}/view").status for _ in range(16)]

    assert {200, 429} == set(statuses)
    assert statuses == sorted(statuses)


def test_a_revoked_token_is_void_on_the_quick_way_too(monkeypatch):
    world = World()
    game, ash, _ = world.table()
    made = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json
    eyes = Player(world.site, made["token"])
    assert [200, 200] == [eyes.get(f"/v1/games/{game}/view").status for _ in range(2)]

    ash.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)

    assert 401 == eyes.get(f"/v1/games/{game}/view").status
