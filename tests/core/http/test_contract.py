"""For any input the API follows its description: no 5xx, and no response that violates the contract."""

from __future__ import annotations

import os
import traceback
from collections import Counter

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks as openapi_checks

from domain.registry import GAMES
from service.api_reference.document import document
from service.core.http import problems
from tests.core.http.conftest import UNDECLARED, World
from tests.core.http.furnished import ERASED, furnished
from tests.core.http.problem import undeclared
from tests.pennies import PENNIES
from tests.soaking import sample


def problem_is_declared(_context, response, case):
    """Check that a status below 400 is declared, and that the operation lists the code of a problem with its status."""
    document = response.json() if response.status_code >= 400 else {}
    faults = undeclared(case.operation.definition.raw, response.status_code, document)
    assert faults == [], faults


CHECKS = [
    checks.not_a_server_error,
    problem_is_declared,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]
ERASES = ("DELETE", "/v1/me")
"""Deletes the account, so each request needs a new one."""
OPERATIONS = [
    (method.upper(), path)
    for path, operations in document(World().app)["paths"].items()
    for method in operations
    if path not in ("/docs", "/openapi.yaml")  # they have no parameters and are slow
]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """A service with games of every status and a player who has a seat in all of them."""
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    world = furnished(tmp_path_factory.mktemp("fuzzed"))
    world.statuses = {}
    world.schema = schemathesis.openapi.from_dict(document(world.app))
    world.schema.app = world.app
    yield world
    monkeypatch.undo()


def tried(world, method, path, mode, examples):
    """Send generated requests to an operation and check each response against the contract."""
    operation = world.schema[path][method]
    apt, bodies = world.apt.get((method, path), {}), world.bodies.get((method, path), [])
    told = {name: apt.get(name, values) for name, values in (world.values | apt).items() if "{" + name + "}" in path}
    places = {name: st.sampled_from(values) for name, values in told.items()}
    count = 0

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=operation.as_strategy(generation_mode=mode),
        places=st.fixed_dictionaries(places),
        anonymous=st.booleans(),
        body=st.sampled_from([None, *bodies]),
    )
    def one(case, places, anonymous, body):
        nonlocal count
        count += 1
        if places and case.path_parameters:
            case.path_parameters.update(places)
        if body is not None and mode is GenerationMode.POSITIVE:
            case.body, case.query = body, {}
            for name in ("If-Match", "Game-Head"):  # a generated value would make the request fail
                (case.headers or {}).pop(name, None)
        headers = {"Accept-Encoding": "identity"}  # no client decompresses the response here
        if not anonymous or count % 3:
            who = world.player(ERASED) if (method, path) == ERASES else world.ash
            headers["Authorization"] = f"Bearer {who.token}"
        response = case.call(headers=headers)
        world.statuses.setdefault((method, path), Counter())[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    one()
    assert count > 0


@pytest.mark.parametrize(("method", "path"), sample(OPERATIONS, 12))
def test_responses_conform_to_the_contract(fuzzed, method, path):
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        if mode is GenerationMode.NEGATIVE and not negatable(fuzzed, method, path):
            continue
        tried(fuzzed, method, path, mode, 12)


def test_a_response_that_violates_the_contract_is_found(fuzzed, monkeypatch):
    monkeypatch.setattr(
        "service.core.http.resources.games.summary.build_full_summary", lambda *told: {"id": "g1", "status": "lost"}
    )

    with pytest.raises((BaseExceptionGroup, AssertionError)) as caught:
        tried(fuzzed, "GET", "/v1/games/{game}", GenerationMode.POSITIVE, 20)

    assert "violates schema" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("code", ["full", "unlisted"])
def test_a_problem_that_the_operation_does_not_list_is_found(fuzzed, monkeypatch, code):
    monkeypatch.setattr(problems, "CATALOGUE", {**problems.CATALOGUE, "unlisted": (404, "An unlisted problem.")})
    monkeypatch.setattr("service.core.http.resources.games.summary.build_full_summary", refusing(code))

    with pytest.raises((BaseExceptionGroup, AssertionError)) as caught:
        tried(fuzzed, "GET", "/v1/games/{game}", GenerationMode.POSITIVE, 20)

    assert f"problem {code} is not" in "".join(traceback.format_exception(caught.value))
    assert UNDECLARED
    UNDECLARED.clear()


def refusing(code):
    def refuse(*_told):
        raise problems.Problem(code)

    return refuse


@pytest.mark.soak
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_responses_conform_to_the_contract_in_many_tries(fuzzed, method, path):
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        if mode is GenerationMode.NEGATIVE and not negatable(fuzzed, method, path):
            continue
        tried(fuzzed, method, path, mode, int(os.environ.get("FUZZ_EXAMPLES", "400")))


def negatable(world, method, path):
    """Whether the operation has a body or a query that could be invalid; a header can be any text."""
    operation = world.schema[path][method]
    return bool(operation.body or operation.query)


def test_most_operations_gave_a_successful_response(fuzzed):
    """Runs after the others and shows that their requests were not all rejected early."""
    if not fuzzed.statuses:
        pytest.skip("nothing was tried in this process")
    reached = {operation for operation, counted in fuzzed.statuses.items() if any(code < 400 for code in counted)}

    assert len(reached) >= len(fuzzed.statuses) * 9 // 10  # of the operations that this test process has tried
