"""The cost of large or invalid bodies: few errors, early rejection, and bounded CPU time."""

from __future__ import annotations

import gc
import time
from itertools import count
from types import SimpleNamespace

import orjson
import pytest
from marshmallow import fields

from domain.registry import GAMES
from service.core.http.context.compute_jobs import ComputeJobs
from service.core.http.limits.rates import RateLimiter
from service.core.http.problems import MAX_ERRORS, Problem
from service.core.http.reference.routes import ROUTES
from service.core.http.schemas.commands import MOST_VALUES, command_schema, commands_of
from service.core.http.schemas.fields import ListField
from service.core.http.schemas.requests import LARGEST_BODY
from service.core.positions.fitness import PositionVerdict
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem

LIMIT = 0.010
"""CPU limit in seconds per request on a machine where `reference` takes `REFERENCE` seconds. Scaled up on slower machines."""

REFERENCE = 0.0015

ROUTES_WITH_BODIES = sorted(name for name, docs in ROUTES.items() if docs.takes is not None)


def test_response_lists_at_most_twenty_errors(world):
    body = {"kind": "battalia", "seats": 2, "sandbox": {"dice": ["x"] * 900}}

    told = is_a_problem(world.player().post("/v1/games", body), 422, "invalid")
    assert MAX_ERRORS == len(told["errors"])
    assert "/sandbox/dice/0" == told["pointer"]


def test_too_long_list_is_rejected_before_its_elements_are_validated(world):
    body = {"kind": "battalia", "seats": 2, "sandbox": {"dice": [[]] * 15_000}}

    told = is_a_problem(world.player().post("/v1/games", body), 422, "invalid")
    assert ["/sandbox/dice"] == [error["pointer"] for error in told["errors"]]


@pytest.mark.parametrize("at", ["", "/pace"])
def test_unknown_keys_are_rejected_first_and_only_up_to_the_error_limit(world, at):
    many = {**({"hours": "wrong"} if at else {"pace": 5}), **{f"key{number}": 1 for number in range(3000)}}
    body = {"kind": "battalia", "seats": "wrong", **({"pace": many} if at else many)}

    told = is_a_problem(world.player().post("/v1/games", body), 422, "invalid")
    pointers = [error["pointer"] for error in told["errors"] if error["pointer"] != "/seats" or not at]
    assert [f"{at}/key{number}" for number in range(MAX_ERRORS)][: len(pointers)] == pointers
    assert len(pointers) >= MAX_ERRORS - 1


@pytest.mark.parametrize("name", ["options", "table"])
def test_too_many_choices_are_rejected_with_one_error(world, name):
    body = {"kind": "battalia", "seats": 2, name: {f"key{number}": {} for number in range(3000)}}

    told = is_a_problem(world.player().post("/v1/games", body), 422, "invalid")
    assert [f"/{name}"] == [error["pointer"] for error in told["errors"]]


def test_long_key_is_not_repeated_in_full_in_the_error(world):
    answer = world.public.post("/v1/players", {"name": "Ash", "k" * 60_000: 1})

    is_a_problem(answer, 422, "invalid")
    assert len(answer.body) < 1000


def test_command_batch_with_too_many_values_is_rejected_with_one_error(world):
    game, ash, _ = world.table(kind="battalia")
    command = {"type": "take_supply", "cards": [5] * (MOST_VALUES // 64 + 1)}

    told = is_a_problem(ash.post(f"/v1/games/{game}/commands", {"commands": [command] * 64}), 422, "invalid")
    assert ["/commands"] == [error["pointer"] for error in told["errors"]]


# -- CPU ----------------------------------------------------------------------------------------------------------------


def filled(most, one):
    """A list that repeats the JSON value ``one`` up to the largest allowed body."""
    return [one] * min(most, (LARGEST_BODY - 2000) // (len(orjson.dumps(one)) + 1))


def worst_values(field):
    """Values of a field that are expensive to validate."""
    anything = [filled(100_000, one) for one in ("a", [])]
    yield from anything
    yield {f"k{number}": [] for number in range(5000)}
    yield "x" * 60_000
    if isinstance(field, ListField):
        for one in (1, "a", [], "monday", "2026-12-24"):
            yield filled(field.most, one)
    if isinstance(field, fields.Nested):
        yield from worst_bodies(field.schema)
    if isinstance(field, fields.Dict):
        yield {f"k{number}": ["a"] * 150 for number in range(100)}


def worst_bodies(schema):
    """Bodies of a schema that are expensive to validate."""
    yield {f"k{number}": 1 for number in range(5000)}
    yield {f"k{number}": 1 for number in range(len(schema.fields))}
    for name, field in schema.fields.items():
        for value in worst_values(field):
            yield {**schema.example, field.data_key or name: value}


def worst_commands():
    game = GAMES["battalia"]
    for name, cls in commands_of(game).items():
        schema = command_schema(name, cls)()
        lists = [key for key, field in schema.fields.items() if isinstance(field, ListField)]
        if lists:
            for one in (1, "a"):
                for several, length in ((64, MOST_VALUES // 64 // len(lists)), (64, 200), (1, 200)):
                    command = {"type": name, **{key: [one] * length for key in lists}}
                    yield {"commands": [command] * several, "if": "legal", "then": "wait"}
                    yield command if several == 1 else {"commands": [command] * several}
    yield {"commands": [{"type": "x"}] * 64}
    yield {"commands": [{"type": "resign", **{f"k{number}": 1 for number in range(60)}}] * 64}
    yield {"type": "resign", **{f"k{number}": 1 for number in range(5000)}}


def cpu(send):
    """Return the lowest CPU time of five calls, because other processes can only add to it."""
    times = []
    for _ in range(5):
        began = time.thread_time()
        send()
        times.append(time.thread_time() - began)
        if times[-1] < LIMIT / 2:
            break
    return min(times)


@pytest.fixture(scope="module")
def running():
    """A service without rate limits, with a running game."""
    world = World(rate_requests=0)
    game, ash, _ = world.table("Cyd", "Dee", kind="battalia")
    world.asleep = True
    gc.freeze()  # as `service.ops.server.app` does
    yield world, game, ash
    gc.unfreeze()


def reference():
    """Measure the CPU time of parsing 64 KiB of empty arrays now. Processes that share CPU caches slow it down."""
    raw, times = orjson.dumps(filled(100_000, [])), []
    for _ in range(5):
        began = time.thread_time()
        orjson.loads(raw)
        times.append(time.thread_time() - began)
    return min(times)


@pytest.mark.soak
@pytest.mark.parametrize("endpoint", ROUTES_WITH_BODIES)
def test_most_expensive_body_of_a_route_stays_within_the_cpu_limit(endpoint, running, monkeypatch):
    # Positions are checked in a compute job.
    monkeypatch.setattr(ComputeJobs, "check_position", lambda *_: PositionVerdict("It is too large."))
    world, game, ash = running
    keys = (f"{number:032}" for number in count())
    (rule,) = [each for each in world.app.url_map.iter_rules() if each.endpoint == endpoint]
    method = min(rule.methods - {"HEAD", "OPTIONS", "GET"})
    path = rule.rule.replace("<game>", game).replace("<int:seat>", "2").replace("<seat>", "2")
    if "webhook>" in path:
        hook = ash.post("/v1/me/webhooks", {"url": "https://example.org/", "events": ["turn"]}).json
        path = path.replace("<webhook>", hook.get("id", "w"))
    takes = ROUTES[endpoint].takes
    bodies = worst_commands() if takes == "command" or endpoint.startswith("plans.") else worst_bodies(takes())
    worst = 0.0
    for body in [{"type": "resign"}, *bodies]:
        raw = orjson.dumps(body)[:LARGEST_BODY]
        before = reference()
        spent = cpu(lambda raw=raw: ash.call(method, path, raw, headers={"Idempotency-Key": next(keys)}))
        spent /= max(1.0, max(before, reference()) / REFERENCE)
        if spent > worst:
            worst, most_expensive = spent, raw
    assert worst < LIMIT, (endpoint, worst, most_expensive[:300])


# -- rate limits for expensive work -------------------------------------------------------------------------------------


def test_caller_who_used_much_cpu_waits_while_others_do_not(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("service.core.http.limits.rates.time", SimpleNamespace(monotonic=lambda: now[0]))
    limits = RateLimiter(6000)
    limits.charge("ash", 1.5)

    with pytest.raises(Problem) as caught:
        limits.take("ash")
    assert "too-many-requests" == caught.value.code
    assert "2" == caught.value.headers["Retry-After"]
    assert limits.take("birk")
    now[0] += 2
    assert limits.take("ash")


def test_large_bodies_count_against_the_rate_limit_of_their_sender():
    world = World()
    ash, birk = world.player(), world.player()
    body = orjson.dumps({"name": "Ash", "x": "x" * 60_000})

    statuses = {ash.call("PATCH", "/v1/me", body).status for _ in range(400)}

    assert {422, 429} == statuses
    assert 200 == birk.get("/v1/me").status
