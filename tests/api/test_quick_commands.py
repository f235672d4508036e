"""The quick way of a command and the ordinary one give the same answers, and do the same."""

from __future__ import annotations

import gzip
import re
import threading
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from domain.registry import GAMES
from service.api.http.problems import Problem
from service.api.quick import commands as quick
from service.api.schemas import commands as forms
from service.store.ports.errors import StoreDown
from tests.api.conftest import World
from tests.driver import Player

HIDE = {"type": "hide", "pennies": 1}
TOO_MANY = {"type": "hide", "pennies": 99}


class Table:
    """Two players of Pennies in a service of their own, and how often the quick way was taken there."""

    def __init__(self, monkeypatch, taken, **settings):
        self.world, self.taken = World(**settings), []
        real = quick.CommandFastPath._usual

        def usual(path, game, environ):
            found = real(path, game, environ) if taken else None
            self.taken.append(found is not None)
            return found

        monkeypatch.setattr(quick.CommandFastPath, "_usual", usual)
        self.game, self.ash, self.birk = self.world.table(options={"points": 1000})
        for player in (self.ash, self.birk):
            player.view(self.game)  # the lobby and both tokens are remembered from now on
        self.path = f"/v1/games/{self.game}/commands"

    def send(self, body, who=None, path=None, **headers):
        return plain((who or self.ash).post(path or self.path, body, headers=headers), self.game)


def plain(answer, game):
    """What is compared: everything but what chance or the clock has chosen."""
    headers = {name.lower(): value for name, value in answer.headers.items() if name != "X-Request-Id"}
    headers["ratelimit"] = "RateLimit" in answer.headers
    headers.pop("content-length", None)
    return answer.status, {name: _same(str(value), game) for name, value in headers.items()}, _same(_text(answer), game)


def _text(answer):
    return gzip.decompress(answer.body).decode() if "Content-Encoding" in answer.headers else answer.text


def _same(text, game):
    text = re.sub(r"\b[0-9a-f]{64}\b", "<head>", text.replace(game, "<game>"))
    text = re.sub(r"(?<![\w-])[\w-]{24}(?=[\".,]|$)", "<command>", text)
    return re.sub(r'"(at|pennies|most)":\d+', r'"\1":0', text)


ORDINARY = {
    "waits": lambda table: table.send(HIDE, Prefer="wait=10"),
    "does not wait": lambda table: table.send(HIDE),
    "waits for nothing": lambda table: table.send(HIDE, Prefer="wait=0"),
    "would rather": lambda table: table.send(HIDE, Prefer="respond-async, wait=3"),
    "has seen it": lambda table: table.send(HIDE, Prefer="wait=5", **{"If-Match": '"1"'}),
    "has seen anything": lambda table: table.send(HIDE, Prefer="wait=5", **{"If-Match": " * "}),
    "has not seen it": lambda table: table.send(HIDE, Prefer="wait=5", **{"If-Match": '"0"'}),
    "has seen no tag": lambda table: table.send(HIDE, Prefer="wait=5", **{"If-Match": "1"}),
    "has seen too much": lambda table: table.send(HIDE, Prefer="wait=5", **{"If-Match": '"77"'}),
    "is refused": lambda table: table.send(TOO_MANY, Prefer="wait=10"),
    "is refused twice": lambda table: [table.send(TOO_MANY, Prefer="wait=1") for _ in range(2)],
    "a list": lambda table: table.send({"commands": [HIDE]}, Prefer="wait=10"),
    "a list that stops": lambda table: table.send({"commands": [HIDE, HIDE, HIDE]}, Prefer="wait=10"),
    "a list that stops at once": lambda table: table.send({"commands": [TOO_MANY, HIDE]}, Prefer="wait=10"),
    "a key, twice": lambda table: [table.send(HIDE, Prefer="wait=10", **{"Idempotency-Key": "once"}) for _ in "ab"],
    "a key for something else": lambda table: [
        table.send(each, Prefer="wait=10", **{"Idempotency-Key": " once "}) for each in (HIDE, TOO_MANY)
    ],
    "a list with a key, twice": lambda table: [
        table.send({"commands": [HIDE, HIDE]}, Prefer="wait=10", **{"Idempotency-Key": "once"}) for _ in "ab"
    ],
    "packed": lambda table: table.send(TOO_MANY, Prefer="wait=10", **{"Accept-Encoding": "gzip"}),
    "resigns": lambda table: [table.send({"type": "resign"}, Prefer="wait=10"), table.send(HIDE, Prefer="wait=10")],
    "the clock was set": lambda table: table.send(HIDE, Prefer="wait=10", **{"X-Request-Id": "mine"}),
}

ODD = {
    "no token": lambda table: table.send(HIDE, who=table.world.public),
    "a wrong token": lambda table: table.send(HIDE, who=replace(table.ash, token="owt_wrong")),
    "another scheme": lambda table: table.send(HIDE, who=table.world.public, Authorization="Basic YTpi"),
    "may only read": lambda table: table.send(HIDE, who=reader(table)),
    "a stranger": lambda table: table.send(HIDE, who=table.world.player("Cyd")),
    "no such game": lambda table: table.send(HIDE, path="/v1/games/nowhere/commands"),
    "no such path": lambda table: table.send(HIDE, path=f"/v1/games/{table.game}/x/commands"),
    "a game that has not started": lambda table: table.send(HIDE, path=f"/v1/games/{lobby(table)}/commands"),
    "no body": lambda table: table.send(None),
    "no JSON": lambda table: table.send(b"{"),
    "no object": lambda table: table.send(b"[]"),
    "no type": lambda table: table.send({}),
    "no such type": lambda table: table.send({"type": "fly"}),
    "a type that is none": lambda table: table.send({"type": 5}),
    "a field too many": lambda table: table.send({**HIDE, "where": "here"}),
    "a field too few": lambda table: table.send({"type": "hide"}),
    "a field of another type": lambda table: table.send({"type": "hide", "pennies": True}),
    "nests deep": lambda table: table.send(b'{"type":' + b"[" * 2000 + b"]" * 2000 + b"}"),
    "an empty list": lambda table: table.send({"commands": []}),
    "a list of what is none": lambda table: table.send({"commands": [HIDE, 5]}),
    "a list too long": lambda table: table.send({"commands": [HIDE] * 65}),
    "a list and a type": lambda table: table.send({"commands": [HIDE], "type": "hide"}),
    "a list and more": lambda table: table.send({"commands": [HIDE], "more": 1}),
    "an empty key": lambda table: table.send(HIDE, **{"Idempotency-Key": " "}),
    "a long key": lambda table: table.send(HIDE, **{"Idempotency-Key": "k" * 201}),
    "too large": lambda table: table.send(b" " * 70_000),
    "compressed": lambda table: table.send(HIDE, **{"Content-Encoding": "gzip"}),
    "a parameter": lambda table: table.send(HIDE, path=table.path + "?seat=1", Prefer="wait=5"),
    "another's seat": lambda table: table.send(HIDE, path=table.path + "?seat=2"),
    "a dry run": lambda table: table.send(HIDE, path=table.path + "?dry_run=true"),
    "a parameter that is not known": lambda table: table.send(HIDE, path=table.path + "?wait=1"),
    "a head": lambda table: table.send(HIDE, Prefer="wait=5", **{"Game-Head": "1"}),
    "a head of another log": lambda table: table.send(HIDE, **{"Game-Head": "1 " + "0" * 64}),
    "another method": lambda table: plain(table.ash.call("PUT", table.path, HIDE), table.game),
}


def reader(table):
    made = table.ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json
    player = Player(table.world.site, made["token"])
    player.view(table.game)
    return player


def lobby(table):
    return table.ash.make_game("pennies")["id"]


@pytest.fixture(params=[{}, {"cors_origins": ("https://play.example",)}, {"rate_requests": 0}], ids=repr)
def settings(request):
    return request.param


def told(monkeypatch, story, taken, settings):
    with monkeypatch.context() as patch:
        table = Table(patch, taken, **settings)
        return story(table), table.taken, [commit.seq for commit in table.world.store.log.commits(table.game)]


@pytest.mark.parametrize("story", ORDINARY.values(), ids=ORDINARY.keys())
def test_what_is_usual_goes_the_quick_way_and_is_answered_as_ever(monkeypatch, story, settings):
    one, taken, commits = told(monkeypatch, story, True, settings)
    other, _, there = told(monkeypatch, story, False, settings)

    assert other == one
    assert there == commits
    assert taken
    assert all(taken)


@pytest.mark.parametrize("story", ODD.values(), ids=ODD.keys())
def test_what_is_not_usual_is_left_to_the_ordinary_way(monkeypatch, story, settings):
    one, taken, commits = told(monkeypatch, story, True, settings)
    other, _, there = told(monkeypatch, story, False, settings)

    assert other == one
    assert there == commits
    assert not any(taken)


def test_another_origin_goes_the_ordinary_way_only_where_origins_are_asked_for(monkeypatch, settings):
    def story(table):
        return table.send(HIDE, Prefer="wait=5", Origin="https://play.example")

    one, taken, _ = told(monkeypatch, story, True, settings)
    other, _, _ = told(monkeypatch, story, False, settings)

    assert other == one
    assert [not settings.get("cors_origins")] == taken


@pytest.mark.parametrize(
    "limits", [{"rate_requests": 6}, {"refusals": 1}, {"unasked": 1}], ids=["requests", "refusals", "unasked"]
)
def test_limits_are_reached_on_both_ways_alike(monkeypatch, limits):
    def story(table):
        answers = [table.send(TOO_MANY if "refusals" in limits else HIDE, Prefer="wait=5") for _ in range(8)]
        assert 429 in [status for status, _, _ in answers]
        return [
            (status, {**headers, "retry-after": "retry-after" in headers}, body) for status, headers, body in answers
        ]

    one, _, commits = told(monkeypatch, story, True, limits)
    other, _, there = told(monkeypatch, story, False, limits)

    assert other == one
    assert there == commits


def test_each_request_is_counted_once(monkeypatch):
    def story(table):
        left = lambda answer: int(re.search(r"r=(\d+)", answer.headers["RateLimit"])[1])  # noqa: E731
        before = left(table.ash.get(f"/v1/games/{table.game}/view"))
        answers = [table.ash.post(table.path, body) for body in (HIDE, TOO_MANY, {"type": "fly"})]
        return [before - left(answer) for answer in answers]

    for taken in (True, False):
        counted, _, _ = told(monkeypatch, story, taken, {"rate_requests": 60})
        assert [1, 2, 3] == counted


def test_what_is_yet_to_be_settled_is_answered_alike(monkeypatch):
    def story(table):
        table.world.asleep = True
        return table.send(HIDE), table.send({"commands": [HIDE, HIDE]}), table.send(HIDE, Prefer="wait=1")

    one, taken, _ = told(monkeypatch, story, True, {})
    other, _, _ = told(monkeypatch, story, False, {})

    assert other == one
    assert [202, 202, 202] == [status for status, _, _ in one]
    assert all(taken)


def test_who_loses_the_token_while_they_wait_is_told_so_on_both_ways(monkeypatch):
    def story(table):
        table.world.asleep = True
        made = table.ash.post("/v1/me/tokens", {"label": "x", "scopes": ["play"]}, want=201).json
        player = Player(table.world.site, made["token"])
        player.view(table.game)

        def lose():
            table.ash.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
            table.world.work(table.game)

        timer = threading.Timer(0.3, lose)
        timer.start()
        answer = table.send(HIDE, who=player, Prefer="wait=10")
        timer.join()
        return answer

    one, taken, _ = told(monkeypatch, story, True, {})
    other, _, _ = told(monkeypatch, story, False, {})

    assert other == one
    assert 401 == one[0]
    assert [True] == taken


@pytest.mark.parametrize("error", [StoreDown("away"), RuntimeError("surprise"), Problem("quarantined")], ids=repr)
def test_whatever_goes_wrong_is_told_alike(monkeypatch, error):
    def story(table):
        def submit(*_, **__):
            raise error

        monkeypatch.setattr(table.world.store.log, "submit", submit)
        return table.send(HIDE, Prefer="wait=5")

    one, taken, _ = told(monkeypatch, story, True, {})
    other, _, _ = told(monkeypatch, story, False, {})

    assert other == one
    assert one[0] >= 500
    assert [True] == taken


VALUES = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.integers(0, 5), st.just(2**53), st.just(1.0), st.just("x" * 201)),
    *(st.text(max_size=3), st.lists(st.text(max_size=3), max_size=3), st.just(["x"] * 201), st.just([1]), st.just({})),
)
KNOWN = [(game, name) for game in GAMES.values() for name in forms.commands_of(game)]


@hypothesis_settings(
    suppress_health_check=[HealthCheck.too_slow]
)  # the first text of all takes seconds where the machine is busy
@given(st.data())
def test_what_is_right_at_a_glance_is_right(data):
    game, name = data.draw(st.sampled_from(KNOWN))
    fields = list(forms.command_schema(name, forms.commands_of(game)[name])().fields)
    document = data.draw(st.dictionaries(st.sampled_from([*fields, "more"]), VALUES, max_size=len(fields)))
    document["type"] = data.draw(st.sampled_from([name, name, name, "fly", 5]))
    if forms.plainly_right(game, document) is not None:
        forms._load(game, document)  # raises the problem of one that is not


def test_commands_as_players_send_them_are_right_at_a_glance():
    sent = {
        "end_turn": {},
        "step": {"hero": "h1", "to": "c4", "cards": ["a", "b"]},
        "build_road": {"shape": "s", "square": "c4", "exits": "NE", "cards": []},
    }
    for name, fields in sent.items():
        assert forms.plainly_right(GAMES["battalia"], {"type": name, **fields})
