"""Requirements of client generators, checked without their tools; `make lint-openapi` runs the tools."""

from __future__ import annotations

import json
import re
from functools import cache

import jsonschema_rs
import pytest

from service.api_reference.document import as_yaml, document
from service.core.http.problems import CATALOGUE
from tests.core.http.conftest import World

MADE = document(World().app)
OPERATIONS = [
    (f"{method} {path}", operation) for path, below in MADE["paths"].items() for method, operation in below.items()
]
VERBS = (
    *("list", "get", "create", "update", "set", "delete", "revoke"),
    *("agree", "confirm", "decline", "disconnect", "export", "fork", "leave", "open", "redeliver"),
    *("renew", "rotate", "send", "sign", "start", "take"),
)
"""One verb per action: get one resource, list several, set (PUT) replaces or creates, update (PATCH) changes a part."""


def inside(node):
    if isinstance(node, dict):
        yield node
        for each in node.values():
            yield from inside(each)
    elif isinstance(node, list):
        for each in node:
            yield from inside(each)


def test_operation_ids_are_unique_and_begin_with_a_verb():
    names = [operation["operationId"] for _, operation in OPERATIONS]

    assert sorted(set(names)) == sorted(names)
    form = f"unsubscribe|({'|'.join(VERBS)})[A-Z][A-Za-z]+"
    assert [] == [name for name in names if not re.fullmatch(form, name)]
    assert set(VERBS) == {re.match("[a-z]+", name)[0] for name in names} - {"unsubscribe"}


def test_set_is_put_and_update_is_patch():
    methods = {"set": "put", "update": "patch"}
    for where, made in OPERATIONS:
        verb = re.match("[a-z]+", made["operationId"])[0]
        assert methods.get(verb, where.split()[0]) == where.split()[0]


def test_patterns_use_only_portable_regex_syntax():
    patterns = [node["pattern"] for node in inside(MADE) if isinstance(node.get("pattern"), str)]

    assert patterns
    assert [] == [pattern for pattern in patterns if re.search(r"\\[AZz]|\(\?[^:=!]", pattern)]


def test_no_field_of_a_request_has_a_default():
    """Generated clients in TypeScript would have to send it."""
    schemas = MADE["components"]["schemas"].items()
    fields = [
        (name, field) for name, schema in schemas if name.endswith("Request") for field in schema.get("properties", {})
    ]

    assert len(fields) > 50
    assert [] == [each for each in fields if "default" in MADE["components"]["schemas"][each[0]]["properties"][each[1]]]


def test_no_required_field_has_a_default():
    schemas = [node for node in inside(MADE["components"]["schemas"]) if isinstance(node.get("properties"), dict)]
    both = [
        name
        for schema in schemas
        for name, each in schema["properties"].items()
        if isinstance(each, dict) and "default" in each and name in schema.get("required", ())
    ]

    assert len(schemas) > 100
    assert [] == both


def test_every_response_and_every_tag_has_a_description():
    told = [(where, status, answer) for where, made in OPERATIONS for status, answer in made["responses"].items()]

    assert [] == [
        (where, status) for where, status, answer in told if not (answer.get("$ref") or answer["description"])
    ]
    assert {tag for _, made in OPERATIONS for tag in made["tags"]} == {tag["name"] for tag in MADE["tags"]}
    assert all(tag["description"] for tag in MADE["tags"])


SECTIONS = [
    *(
        "Authentication and scopes",
        "Pagination",
        "Errors",
        "Idempotency",
        "Conditional requests",
        "Waiting for results",
    ),
    *("Streams", "Webhooks", "Rate limits", "Versioning and deprecation"),
]


def test_introduction_has_every_section():
    assert re.findall(r"^## (.+)$", MADE["info"]["description"], re.MULTILINE) == SECTIONS


def test_summaries_are_short_and_begin_with_a_verb():
    for where, operation in OPERATIONS:
        first, *others = operation["summary"].split()
        assert len(others) <= 5, where
        assert re.fullmatch("[A-Z][a-z]+(?<!s)", first), where
        assert not operation["summary"].endswith((".", "?")), where


def test_every_parameter_has_a_valid_example():
    parameters = MADE["components"]["parameters"]
    for where, operation in OPERATIONS:
        for parameter in operation.get("parameters", ()):
            told = parameters[parameter["$ref"].rpartition("/")[2]]
            assert told["description"], where
            assert validator(json.dumps(told["schema"])).is_valid(told["example"]), (where, told["name"])


SIZE = 3_175
"""Bytes of the document for each operation, with the schemas that it needs."""


def test_document_is_small_for_its_number_of_operations():
    assert len(as_yaml(MADE).encode()) <= SIZE * len(OPERATIONS)


def test_every_operation_has_one_response_for_all_problems():
    known = {*MADE["x-problems"], "refusal"}
    for where, operation in OPERATIONS:
        name = "CommandProblem" if operation["operationId"] == "sendCommand" else "Problem"
        assert operation["responses"]["default"] == {"$ref": f"#/components/responses/{name}"}, where
        assert [status for status in operation["responses"] if status >= "400"] == ["default"], where
        assert (
            {"bad-request", "internal", "not-ready", "too-many-requests"} <= set(operation["x-problem-codes"]) <= known
        )


def test_every_problem_has_its_status_and_is_listed_by_an_operation():
    listed = {code for _, operation in OPERATIONS for code in operation["x-problem-codes"]}

    assert {code: told["status"] for code, told in MADE["x-problems"].items()} == {
        code: status for code, (status, _) in CATALOGUE.items()
    }
    assert set(CATALOGUE) - listed == {"method-not-allowed"}


def test_no_schema_name_ends_with_a_number():
    assert [name for name in MADE["components"]["schemas"] if re.search(r"[0-9]$", name)] == []


def test_commands_and_lines_are_open_schemas_described_by_their_kind():
    schemas = MADE["components"]["schemas"]
    for name, part in (("Command", "commands"), ("Line", "lines")):
        assert f"`{part}`" in schemas[name]["description"]
        assert schemas[name]["additionalProperties"] is True
    assert [name for name in schemas if name.endswith(("Resign", "BuildRoad", "RoadBuilt"))] == []


def examples():
    for where, operation in OPERATIONS:
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for body in bodies:
            name = body.get("$ref", "").rpartition("/")[2]
            for form, content in (MADE["components"]["responses"][name] if name else body).get("content", {}).items():
                if form.endswith("json"):
                    yield where, content


EXAMPLES = [(where, content["schema"], content["example"]) for where, content in examples()]


@cache
def validator(schema: str):
    """A validator of a schema, given as JSON; many operations share one."""
    return jsonschema_rs.Draft202012Validator(
        {**json.loads(schema), "components": {"schemas": MADE["components"]["schemas"]}}
    )


@pytest.mark.parametrize("where", sorted({where for where, *_ in EXAMPLES}))
def test_every_example_is_valid(where):
    for at, schema, example in EXAMPLES:
        if at == where:
            assert validator(json.dumps(schema)).is_valid(example), example


def test_webhook_request_has_a_valid_example():
    content = MADE["webhooks"]["event"]["post"]["requestBody"]["content"]["application/json"]

    assert validator(json.dumps(content["schema"])).is_valid(content["example"])


def test_no_example_of_a_request_resigns():
    bodies = [operation.get("requestBody", {}) for _, operation in OPERATIONS]

    assert '"resign"' not in json.dumps([*bodies, MADE["components"]["schemas"]["Command"]])


def test_lines_of_the_history_have_an_entry_as_example():
    content = next(made for _, made in OPERATIONS if made["operationId"] == "listEvents")["responses"]["200"]["content"]
    lines = content["application/x-ndjson"]["example"], content["text/event-stream"]["example"].partition("data: ")[2]

    for line in lines:
        assert validator('{"$ref": "#/components/schemas/HistoryEntry"}').is_valid(json.loads(line))


def test_no_component_name_collides_with_a_go_constructor():
    names = set(MADE["components"]["schemas"])

    assert set() == {f"New{name}" for name in names} & names


def unions():
    """Every anyOf and oneOf in the contract with several schemas other than null."""
    for node in inside(MADE):
        for word in ("anyOf", "oneOf"):
            parts = [part for part in node.get(word, ()) if part != {"type": "null"}]
            if len(parts) > 1:
                yield word, parts, node


def test_a_union_of_objects_in_a_response_has_a_discriminator():
    """Without one, generated Java code parses every object as the first type of the union, or fails."""
    sent = [
        made["requestBody"]["content"]["application/json"]["schema"] for _, made in OPERATIONS if "requestBody" in made
    ]
    objects = [node for _, parts, node in unions() if any("$ref" in part for part in parts) and node not in sent]

    assert objects
    assert [] == [node for node in objects if "discriminator" not in node]


def test_unions_are_exclusive():
    """The TypeScript generator merges the objects of an anyOf into one type with all fields."""
    assert {"oneOf"} == {word for word, *_ in unions()}


def test_no_value_is_either_a_list_or_another_type():
    """Go and Java have no type for it."""
    types = [node["type"] for node in inside(MADE) if isinstance(node.get("type"), list)]

    assert types
    assert [] == [each for each in types if "array" in each and {*each} - {"array", "null"}]
    assert [] == [part for _, parts, _ in unions() for part in parts if part.get("type") == "array"]


def test_numbers_that_exceed_32_bits_have_the_format_int64():
    numbers = [
        schema for schema in inside(MADE) if isinstance(schema.get("maximum"), int) and schema["maximum"] >= 2**31
    ]

    assert numbers
    assert [] == [schema for schema in numbers if schema.get("format") != "int64"]
