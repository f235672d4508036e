"""Shared components of the OpenAPI document: parameters, headers, responses, and the schemas that no route owns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apispec import APISpec
from marshmallow import Schema

from domain.registry import GAMES
from service.api_reference.operations import headers
from service.core.http.problems import CATALOGUE, DETAILS
from service.core.http.reference.parameters import ALWAYS, HEADERS, PARAMETERS
from service.core.http.responses import GAME_HEAD
from service.core.http.schemas import replies
from service.core.http.schemas.commands import EXAMPLE, CommandList
from service.core.http.schemas.fields import MAX_LENGTH, MAX_SAFE_INTEGER
from service.core.http.schemas.views import view_components

COMMAND = {
    "type": "object",
    "description": "A command of any kind of game: its type, and the parameters of that type. `GET /v1/kinds/{key}` has the "
    "JSON Schema of each command under `commands`. Those of every game are under `table.commands`. A string has at most "
    f"{MAX_LENGTH} characters, a list at most {MAX_LENGTH} items, and a number is between -{MAX_SAFE_INTEGER} and {MAX_SAFE_INTEGER}.",
    "required": ["type"],
    "properties": {"type": {"type": "string", "maxLength": 80, "description": "The type of the command."}},
    "additionalProperties": True,
    "example": dict(EXAMPLE),
}
LINE = {
    "type": "object",
    "description": "An event with the fields that the reader may see. `GET /v1/kinds/{key}` has the JSON Schema of each type "
    "under `lines`. Those of every game are under `table.lines`. Accept unknown types: later releases can add some.",
    "required": ["type", "text"],
    "properties": {
        "type": {"type": "string", "maxLength": 80, "description": "The type of the event."},
        "text": {"type": "string", "maxLength": 4000, "description": "The line as a sentence."},
    },
    "additionalProperties": True,
    "example": {"type": "turn_ended", "seat": 1, "text": "Ash ends the turn."},
}


def add_components(spec: APISpec, schemas: Mapping[str, type[Schema]]) -> None:
    """Fill the document's components, except the bodies of routes. ``schemas`` are those of features, by name."""
    spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    for name, parameter in PARAMETERS.items():
        spec.components.parameter(name, parameter["in"], {"name": name, **parameter})
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    spec.components.schema("Command", COMMAND)
    spec.components.schema("CommandList", schema=CommandList)
    spec.components.schema("Line", LINE)
    spec.components.schema("Problem", schema=replies.ProblemDocument)
    spec.components.schema("CommandProblem", schema=replies.CommandProblem)
    for name, made in schemas.items():
        spec.components.schema(name, schema=made)
    for name, schema in view_components(GAMES).items():
        spec.components.schema(name, schema)
    unchanged = {"description": "Not modified since the ETag.", "headers": headers("ETag", GAME_HEAD, *ALWAYS)}
    spec.components.response("NotModified", unchanged)
    spec.components.response("Problem", _problem("Problem", "unknown-game"))
    spec.components.response("CommandProblem", _problem("CommandProblem", "stale"))


def problems() -> dict[str, Any]:
    """Every problem code: its status and title, and the detail if it says more."""
    return {
        code: {"status": status, "title": title, **({"detail": DETAILS[code]} if code in DETAILS else {})}
        for code, (status, title) in CATALOGUE.items()
    }


def _problem(schema: str, code: str) -> dict[str, Any]:
    """The response to any request that fails."""
    status, title = CATALOGUE[code]
    example = {
        "type": f"urn:oraclewheel:problem:{code}",
        "title": title,
        "status": status,
        "detail": DETAILS.get(code, title),
        "code": code,
    }
    return {
        "description": "The request failed. `x-problem-codes` of the operation lists the possible codes, and `x-problems` at the "
        "end of this document has the status and title of each.",
        "headers": headers("Allow", "ETag", GAME_HEAD, "Retry-After", "WWW-Authenticate", *ALWAYS),
        "content": {PROBLEM: {"schema": {"$ref": f"#/components/schemas/{schema}"}, "example": example}},
    }


PROBLEM = "application/problem+json"
