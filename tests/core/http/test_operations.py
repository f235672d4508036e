"""Health checks, metrics, the API description, and access by browsers of other origins."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from service import openapi
from service.core.feature import load
from service.core.http.reference.routes import ROUTES
from service.core.http.schemas.replies import Reply
from service.core.http.schemas.requests import Request
from service.features import FEATURES
from tests.core.http.conftest import World
from tests.reference import descendants

HIDE = {"type": "hide", "pennies": 1}


def test_a_ready_service_reports_that_it_is_live_and_ready(world):
    assert {"status": "ok"} == world.public.get("/healthz", want=200).json
    assert {"status": "ready", "warnings": []} == world.public.get("/readyz", want=200).json


def test_metrics_count_requests_and_games_without_ids_or_names(world):
    game, ash, _ = world.table("Ashmodai", "Birk")
    world.asleep = True
    ash.send(game, HIDE, wait=None, want=202)

    text = world.public.get("/metrics", want=200).text
    families = {family.name: family for family in text_string_to_metric_families(text)}

    states = {sample.labels["state"]: sample.value for sample in families["oraclewheel_games"].samples}
    none = dict.fromkeys(("claimed", "stalled", "quarantined", "needs-release"), 0.0)
    assert {"ready": 1.0, **none} == states
    routes = {
        (sample.labels["method"], sample.labels["route"], sample.labels["status"]): sample.value
        for sample in families["oraclewheel_http_requests"].samples
        if sample.name.endswith("_total")
    }
    assert 1.0 == routes["POST", "/v1/games/<game>/commands", "202"]
    assert families["oraclewheel_http_request_duration_seconds"].samples
    for name in (game, ash.id, "Ashmodai"):
        assert name not in text


def test_metrics_count_a_stalled_game(world):
    ash = world.player()
    game = ash.make_game(sandbox={"dice": []})["id"]
    ash.join(game)
    ash.start(game)
    for seat in (1, 2):
        ash.send(game, HIDE, seat=seat, want=200)

    assert 'oraclewheel_games{state="stalled"} 1.0' in world.public.get("/metrics").text


# -- the description --------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_drift_of_the_api_description_fails_the_check(monkeypatch, tmp_path):
    drifted = tmp_path / "openapi.yaml"
    drifted.write_text(openapi.FILE.read_text().replace("Send a command", "Send a letter"))
    monkeypatch.setattr(openapi, "FILE", drifted)

    assert 1 == openapi.main(["--check"])
    openapi.main([])
    assert 0 == openapi.main(["--check"])


def test_every_route_is_documented(world):
    pages = tuple(f"{load(code).blueprint.name}." for each in FEATURES for code in each.pages)
    endpoints = {rule.endpoint for rule in world.app.url_map.iter_rules() if not rule.endpoint.startswith(pages)}

    assert endpoints == set(ROUTES)


def test_the_served_description_is_openapi_3_1_with_an_example_for_every_body(world):
    document = yaml.load(world.public.get("/openapi.yaml", want=200).text, Loader=yaml.CSafeLoader)

    assert "3.1.0" == document["openapi"]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            bodies = [operation.get("requestBody", {})]
            for response in operation["responses"].values():
                name = response.get("$ref", "").rpartition("/")[2]
                bodies.append(document["components"]["responses"][name] if name else response)
            for body in bodies:
                for form, content in body.get("content", {}).items():
                    assert content["example"] is not None, (method, path, form)


def test_every_example_is_valid_for_its_schema():
    shown = [cls for base in (Request, Reply) for cls in descendants(base) if "example" in vars(cls)]
    for cls in shown:
        assert {} == cls().validate(dict(cls.example)), cls.__name__
    assert len(shown) > 25


def test_a_kind_has_a_schema_for_each_command_and_each_line(world):
    kind = world.public.get("/v1/kinds/nim", want=200).json
    take, taken = kind["commands"]["take"], kind["lines"]["objects_taken"]

    assert (["type", "heap", "objects"], False) == (take["required"], take["additionalProperties"])
    assert {"const": "take"} == take["properties"]["type"]
    assert ["type", "text", "seat", "heap", "objects", "left"] == taken["required"]
    assert {"resign"} <= set(kind["table"]["commands"])
    assert set(kind["events"]) == set(kind["lines"])
    assert set(kind["table"]["events"]) == set(kind["table"]["lines"])


def test_the_reference_is_one_page_without_external_resources(world):
    answer = world.public.get("/docs", want=200)
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.extend((tag, name, value) for name, value in attrs if name in ("src", "href", "action"))

    Reader().feed(answer.text)
    operations = re.findall(r'<details id="(\w+)"><summary><span', answer.text)

    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert all(value.startswith("#") or value in ("/openapi.yaml", "/docs/try", "/docs/") for _, _, value in found)
    assert {docs.operation for docs in ROUTES.values()} == set(operations)
    anchors = set(re.findall(r'id="(schema-[\w.]+)"', answer.text))
    assert {value[1:] for _, _, value in found if value.startswith("#schema-")} <= anchors


# -- browsers ---------------------------------------------------------------------------------------------------------


def test_browsers_of_allowed_origins_may_use_the_api_without_credentials():
    world = World(cors_origins=("https://play.example",))
    game, ash, _ = world.table()
    origin = {"Origin": "https://play.example"}

    answer = ash.get(f"/v1/games/{game}/view", headers=origin, want=200)
    preflight = world.public.call(
        "OPTIONS", f"/v1/games/{game}/commands", headers={**origin, "Access-Control-Request-Method": "POST"}
    )
    foreign = ash.get(f"/v1/games/{game}/view", headers={"Origin": "https://evil.example"}, want=200)
    problem = world.public.get("/v1/games/none", headers=origin, want=404)

    assert "https://play.example" == answer.headers["Access-Control-Allow-Origin"]
    for name in ("ETag", "Link", "Location", "Retry-After", "Preference-Applied", "Game-Head"):
        assert name in answer.headers["Access-Control-Expose-Headers"]
    assert "Origin" in answer.headers["Vary"]
    assert "Authorization" in answer.headers["Vary"]
    assert "Access-Control-Allow-Credentials" not in answer.headers
    for name in ("Authorization", "If-Match", "Idempotency-Key", "Prefer"):
        assert name in preflight.headers["Access-Control-Allow-Headers"]
    assert preflight.status == 200
    assert "Access-Control-Allow-Origin" not in foreign.headers
    assert "https://play.example" == problem.headers["Access-Control-Allow-Origin"]


def test_by_default_pages_of_any_origin_may_read_public_data(world):
    game, ash, _ = world.table()
    origin = {"Origin": "https://play.example"}
    for path in ("/v1/games", f"/v1/games/{game}/view"):
        answer = world.public.get(path, headers=origin, want=200)
        assert "*" == answer.headers["Access-Control-Allow-Origin"]
        assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
        assert "*" == world.public.get(path).headers["Access-Control-Allow-Origin"], "caches may mix both"

    preflight = world.public.call("OPTIONS", "/v1/games", headers=origin)
    assert "GET, HEAD" == preflight.headers["Access-Control-Allow-Methods"]
    assert "Authorization" not in preflight.headers["Access-Control-Allow-Headers"]
    sent = ash.post(f"/v1/games/{game}/commands", {"type": "resign"}, headers=origin)
    assert "Access-Control-Allow-Origin" not in sent.headers
    assert "Access-Control-Allow-Origin" not in world.public.get("/metrics", headers=origin).headers


def test_cors_origins_none_allows_no_other_origin():
    world = World(cors_origins=("none",))
    answer = world.public.get("/v1/games", headers={"Origin": "https://play.example"}, want=200)

    assert not any(name.startswith("Access-Control") for name, _ in answer.headers.items())


def test_cors_origins_star_allows_every_origin():
    world = World(cors_origins=("*",))

    assert (
        "*"
        == world.public.get("/v1/games", headers={"Origin": "https://x.example"}).headers["Access-Control-Allow-Origin"]
    )


def test_the_forwarded_address_is_used_only_behind_trusted_proxies():
    world = World(rate_registrations=1, proxies=1)

    def register(address):
        return world.public.post("/v1/players", {"name": "A"}, headers={"X-Forwarded-For": address}).status

    assert [201, 429, 201] == [register("192.0.2.1"), register("192.0.2.1"), register("192.0.2.2")]
    world = World(rate_registrations=1)
    assert [201, 429] == [register("192.0.2.1"), register("192.0.2.2")]


def test_metrics_include_the_outbox(world):
    game, ash, _ = world.table()
    ash.post("/v1/webhooks", {"url": "https://example.org/", "game": game}, want=201)
    ash.send(game, {"type": "hide", "pennies": 1}, wait=5)
    world.store.subscriptions.note("w1", {"id": "msg_1"}, dead=True)

    told = world.public.get("/metrics", want=200).text

    for line in (
        "oraclewheel_pending_deliveries 1.0",
        "oraclewheel_abandoned_deliveries_total 1.0",
        "oraclewheel_oldest_delivery_age_seconds 0.",
    ):
        assert line in told
