"""Every field that is sent is declared: responses of whole games are checked against closed schemas."""

from __future__ import annotations

import copy
import re

import jsonschema_rs
import pytest

from domain.kernel.dice import Dice
from domain.registry import GAMES
from domain.table import features
from service.api_reference.document import document
from service.core.catalog.kinds import build_line_schemas
from tests.core.http.problem import undeclared
from tests.driver import InProcess, Player, play_out

USUAL = {
    *("content-type", "content-length", "cache-control", "vary", "x-content-type-options", "date"),
    *("access-control-allow-origin", "content-security-policy", "x-accel-buffering", "content-encoding", "allow"),
}
"""Headers of HTTP itself, which the contract need not declare."""


class Strict(InProcess):
    """The app; every JSON response is checked against its schema, which allows no undeclared fields."""

    def __init__(self, app, kind):
        super().__init__(app)
        self._map, self._document = app.url_map.bind("localhost"), document(app)
        self._closed = closed(self._document, GAMES[kind])
        self._validators = {}
        self.undeclared: list[str] = []
        self.checked = 0

    def call(self, method, url, headers, body):
        answer = super().call(method, url, headers, body)
        rule, _ = self._map.match(url.partition("?")[0], method=method, return_rule=True)
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        operation = self._document["paths"][path][method.lower()]
        where = f"{method} {path} {answer.status}"
        problem = answer.json if answer.status >= 400 else {}
        self.undeclared += [f"{where}: {fault}" for fault in undeclared(operation, answer.status, problem)]
        told = operation["responses"].get(str(answer.status)) or operation["responses"]["default"]
        if "$ref" in told:
            told = self._document["components"]["responses"][told["$ref"].rpartition("/")[2]]
        common = self._document["x-common-headers"]
        known = {name.lower() for name in (*told.get("headers", ()), *common)} | USUAL
        self.undeclared += [
            f"{where}: header {name}" for name, _ in answer.headers.items() if name.lower() not in known
        ]
        form = answer.headers.get("Content-Type", "").partition(";")[0]
        if form.endswith("json"):
            self._check(where, told["content"][form]["schema"], answer.json)
        return answer

    def _check(self, where, schema, value):
        if where not in self._validators:
            self._validators[where] = jsonschema_rs.Draft202012Validator({**self._closed, **schema})
        self.checked += 1
        for error in self._validators[where].iter_errors(value):
            self.undeclared.append(f"{where}: {deepest(error)}"[:700])


def deepest(error):
    return f"{list(error.instance_path)} {error.message}"


def closed(made, game):
    """The components without additional properties, with the lines of this kind of game."""
    schemas = copy.deepcopy(made["components"]["schemas"])
    schemas["Line"] = {
        "oneOf": [
            *build_line_schemas(game.rules.events, game.knowledge.told).values(),
            *build_line_schemas(features.EVENTS, features.TOLD).values(),
        ]
    }
    for schema in schemas.values():
        close(schema)
    return {"components": {"schemas": schemas}}


def close(schema):
    if isinstance(schema, dict):
        if "properties" in schema and isinstance(schema["properties"], dict):
            schema.setdefault("additionalProperties", False)
        for each in schema.values():
            close(each)
    elif isinstance(schema, list):
        for each in schema:
            close(each)


def played(world, kind, seats, **told):
    site = Strict(world.app, kind)
    players = [Player.register(site) for _ in range(seats)]
    made = players[0].make_game(kind, seats, **told)
    for player in players[1:]:
        player.join(made["id"], made["invitation"])
    players[0].start(made["id"])
    play_out(players, made["id"], Dice(b"d" * 32), seconds=280)
    first, game = players[0], f"/v1/games/{made['id']}"
    for path in ("/v1/kinds", f"/v1/kinds/{kind}", "/v1/me", "/v1/me/tokens", "/v1/me/turns", "/v1/games", "/v1/keys"):
        first.call("GET", path, want=200)
    for below in (
        "",
        "/view",
        "/view?at=3",
        "/events",
        "/events?digest=turn&since=my-last-turn",
        "/position",
        "/options",
    ):
        first.call("GET", game + below, want=200)
    first.call("POST", f"{game}/fork", {}, want=201)
    first.call("POST", f"{game}/commands", {"type": "resign"}, want=409)
    first.call("GET", "/v1/games/none", want=404)
    return site


@pytest.mark.parametrize(
    ("kind", "seats", "told"),
    [
        ("nim", 2, {}),
        pytest.param(
            "battalia",
            3,
            {"options": {"max_weeks": 1}, "modules": [*GAMES["battalia"].rules.modules]},
            marks=pytest.mark.soak,
        ),
        pytest.param("fronela", 4, {}, marks=pytest.mark.soak),
    ],
)
def test_every_field_and_header_that_is_sent_in_a_whole_game_is_declared(world, kind, seats, told):
    site = played(world, kind, seats, **told)

    assert [] == sorted(set(site.undeclared))
    assert site.checked > 20


def test_an_undeclared_field_is_found(world, monkeypatch):
    ready = Strict(world.app, "nim")
    monkeypatch.setattr("service.core.http.resources.players.PlayerId", lambda text: text)
    real = ready._document["components"]["schemas"]["CreatedPlayer"]["properties"]
    assert "token" in real
    ready._closed["components"]["schemas"]["CreatedPlayer"]["properties"].pop("token_id")

    Player.register(ready)

    assert any("token_id" in told for told in ready.undeclared)


def test_every_field_of_a_plan_is_declared_in_every_status(world):
    site = Strict(world.app, "nim")
    players = [Player.register(site) for _ in range(2)]
    game = players[0].make_game("nim", 2)["id"]
    players[1].join(game)
    players[0].start(game)
    path, statuses = f"/v1/games/{game}/plan", []
    for condition in ("legal", "unchanged"):
        mover, other = sorted(players, key=lambda player: not player.turns())
        heap = 1 + max(range(4), key=lambda place: mover.view(game)["public"]["heaps"][place])
        said = {"type": "take", "heap": heap, "objects": 1}
        mover.call("PUT", path, {"commands": [said], "if": condition, "then": "wait"}, want=409)
        other.call("PUT", path, {"commands": [said], "if": condition, "then": "wait"}, want=200)
        statuses.append(other.get(path, want=200).json["status"])
        mover.send(game, said, want=200)
        statuses.append(other.get(path, want=200).json["status"])
        other.call("DELETE", path, want=204)
        other.get(path, want=404)
        if other.turns():
            other.send(game, said, want=200)

    assert ["waiting", "played", "waiting", "stopped"] == statuses
    assert [] == sorted(set(site.undeclared))


def test_writes_declare_415_and_routes_that_check_parameters_declare_422(world):
    for path, operations in document(world.app)["paths"].items():
        for method, told in operations.items():
            codes = told["x-problem-codes"]
            if "requestBody" in told:
                assert {"unsupported-encoding", "too-large", "too-slow"} <= set(codes), (method, path)
            if path.startswith("/v1"):
                assert "invalid" in codes, (method, path)


def test_starting_a_game_declares_unsupported_encoding(world):
    made = document(world.app)["paths"]

    assert "unsupported-encoding" in made["/v1/games/{game}/start"]["post"]["x-problem-codes"]


def test_problem_that_is_not_listed_is_found(world):
    operation = document(world.app)["paths"]["/v1/games/{game}"]["get"]
    unlisted = {"type": "urn:oraclewheel:problem:stale", "code": "stale", "status": 412}
    listed = {"type": "urn:oraclewheel:problem:unknown-game", "code": "unknown-game", "status": 404}
    refused = {"type": "urn:oraclewheel:refusal:malformed", "code": "malformed", "status": 409}

    assert ["problem stale is not in x-problem-codes"] == undeclared(operation, 412, unlisted)
    assert ["problem refusal is not in x-problem-codes"] == undeclared(operation, 409, refused)
    assert ["status 410 is not that of unknown-game"] == undeclared(operation, 410, listed)
    assert ["status 202 is not declared"] == undeclared(operation, 202, {})
    assert [] == undeclared(operation, 404, listed)


def test_game_head_matches_its_pattern_before_and_after_the_start(world):
    pattern = document(world.app)["components"]["headers"]["Game-Head"]["schema"]["pattern"]
    game, ash, _ = world.table()
    waiting = ash.make_game()["id"]
    for each in (game, waiting):
        head = ash.get(f"/v1/games/{each}").headers["Game-Head"]
        assert re.fullmatch(pattern, head)
        ash.get(f"/v1/games/{each}", headers={"Game-Head": head}, want=200)


def test_text_examples_are_those_of_the_operation(world):
    made = document(world.app)["paths"]
    with_metrics = {
        path
        for path, operations in made.items()
        for told in operations.values()
        for answer in told["responses"].values()
        for form, content in answer.get("content", {}).items()
        if form == "text/plain" and "oraclewheel_" in content["example"]
    }

    assert {"/metrics"} == with_metrics
