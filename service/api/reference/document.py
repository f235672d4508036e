"""The OpenAPI document of an app, made from its routes and schemas; `service.api.openapi` writes it to its file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

from domain import RELEASE
from domain.play import table
from domain.registry import GAMES
from service.api.http.answers import HEAD
from service.api.http.problems import CATALOGUE
from service.api.reference.parameters import PARAMETERS
from service.api.reference.routes import ROUTES, Body, RouteDocs
from service.api.schemas import replies
from service.api.schemas.commands import CommandList, command_schema
from service.api.schemas.fields import Either

TITLE = "Oracle Wheel"
METHODS = ("GET", "POST", "PATCH", "DELETE")
PROBLEM = "application/problem+json"
REFUSAL = "refusal"
"""Stands for the codes of all that the rules may say no to."""
ABOUT = f"""Board games played by post. Commands come in, what they come to is appended to the game's log, and everybody reads
what he may know of it.

Send `Authorization: Bearer <token>`; `POST /v1/players` makes an account and its first token. Every answer about a game
shows its newest commit in `{HEAD}`: the seq, and the SHA-256 of the commit's header. Instants are milliseconds of Unix time.
Whatever goes wrong is told as a problem (RFC 9457) whose `code` never changes; a command that the rules refuse is a problem
of the type `urn:oraclewheel:refusal:<code>`.
"""


def document(app: Flask) -> dict[str, Any]:
    """The whole document."""
    plugin = MarshmallowPlugin(schema_name_resolver=_name)
    about = {"title": TITLE, "version": RELEASE, "description": ABOUT}
    spec = APISpec(
        TITLE,
        RELEASE,
        "3.1.0",
        plugins=[plugin],
        info={**about, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": "/"}],
        security=[{}, {"token": []}],
    )
    assert plugin.converter is not None
    plugin.converter.add_attribute_function(_either)  # type: ignore[no-untyped-call]
    spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    for name, parameter in PARAMETERS.items():
        spec.components.parameter(name, parameter["in"], {"name": name, **parameter})
    spec.components.schema("Problem", schema=replies.ProblemDocument)
    spec.components.schema("Command", {"anyOf": _commands(spec)})
    spec.components.schema("CommandList", _command_list(spec))
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        docs = ROUTES[rule.endpoint]
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for method in sorted(set(METHODS) & (rule.methods or set())):
            spec.path(path, operations={method.lower(): _operation(spec, rule.endpoint, docs, path)})
    made = spec.to_dict()
    first = ("openapi", "info", "servers", "security", "paths", "components")
    return {name: made[name] for name in first}


def _name(schema: Any) -> str:
    return (schema if isinstance(schema, type) else type(schema)).__name__


def _either(self: Any, field: Any, ret: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - the form that apispec calls
    if not isinstance(field, Either):
        return {}
    return {"anyOf": [self.field2property(each) for each in field.among]}


def _commands(spec: APISpec) -> list[dict[str, str]]:
    """Every command of every game, each a component of its own."""
    catalogues = {"table": table.COMMANDS, **{key: game.commands for key, game in sorted(GAMES.items())}}
    names = []
    for prefix, catalogue in catalogues.items():
        for name, cls in catalogue.items():
            spec.components.schema(f"{prefix}.{name}", schema=command_schema(name, cls))
            names.append({"$ref": f"#/components/schemas/{prefix}.{name}"})
    return names


def _command_list(spec: APISpec) -> dict[str, Any]:
    """Several commands in one request."""
    spec.components.schema("Commands", schema=CommandList)
    made: dict[str, Any] = spec.components.schemas.pop("Commands")
    several = {**made["properties"]["commands"], "items": {"$ref": "#/components/schemas/Command"}}
    return {**made, "properties": {"commands": several}}


# -- one route --------------------------------------------------------------------------------------------------------


def _operation(spec: APISpec, endpoint: str, docs: RouteDocs, path: str) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.replace(".", "_"),
        "tags": [endpoint.partition(".")[0]],
        "summary": docs.summary,
    }
    if docs.text:
        operation["description"] = docs.text
    parameters = [_in_path(name) for name in re.findall(r"{(\w+)}", path)] + [*docs.parameters]
    if parameters:
        operation["parameters"] = parameters
    if docs.takes is not None:
        operation["requestBody"] = _request(docs)
    operation["responses"] = {**_answers(docs), **_problems(spec, docs)}
    operation["security"] = {
        "required": [{"token": []}],
        "optional": [{}, {"token": []}],
        "none": [{}],
    }[docs.auth]
    return operation


def _in_path(name: str) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 1} if name == "seat" else {"type": "string"}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _request(docs: RouteDocs) -> dict[str, Any]:
    if isinstance(docs.takes, str) or docs.takes is None:
        forms = ("Command", "CommandList")
        schema: Any = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in forms]}
        content = {"schema": schema, "example": {"type": "resign"}}
        return {"required": True, "content": {"application/json": content}}
    required = any(field.required for field in docs.takes._declared_fields.values())  # noqa: SLF001 - marshmallow's way
    content = {"schema": docs.takes, "example": dict(docs.takes.example)}
    return {"required": required, "content": {"application/json": content}}


def _answers(docs: RouteDocs) -> dict[int, Any]:
    answers = {}
    for status, body in docs.gives.items():
        content = _content(body)
        if status == 200:
            content |= {form: {"schema": {"type": "string"}, "example": _SHOWN[form]} for form in docs.also}
        answers[status] = {"description": _DESCRIBED[status], **({"content": content} if content else {})}
    return answers


def _content(body: Body) -> dict[str, Any]:
    match body:
        case None:
            return {}
        case "image/png":
            return {body: {"schema": {"type": "string", "format": "binary"}, "example": _SHOWN[body]}}
        case str():
            return {body: {"schema": {"type": "string"}, "example": _SHOWN[body]}}
        case _:
            return {"application/json": {"schema": body, "example": dict(body.example)}}


_DESCRIBED = {
    200: "Done.",
    201: "Made.",
    202: "Accepted; look at Location.",
    204: "Done, and nothing to say.",
    304: "Not changed since the ETag.",
}
_SHOWN = {
    "application/x-ndjson": '{"type":"…"}\n',
    "image/png": "(the bytes of a picture)",
    "text/event-stream": 'id: 42\ndata: {"seq":42,"lines":[]}\n\n',
    "text/plain": "oraclewheel_store_up 1.0\n",
    "text/html": "<!doctype html>",
    "text/markdown": "# Nim\n",
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 574"><title>Battalia, week 2, day 6</title></svg>',
    "application/yaml": "openapi: 3.1.0\n",
}


def _problems(spec: APISpec, docs: RouteDocs) -> dict[int, Any]:
    """A response for each status, with the codes that it can have."""
    codes = [*docs.problems, "bad-request", "too-many-requests", "internal", "not-ready"]
    if "unknown-game" in docs.problems:
        codes += ["log-went-back", "quarantined", "needs-release"]
    if docs.takes is not None:
        codes += ["malformed-json", "too-large", "invalid"]
    if docs.parameters:
        codes += ["invalid"]
    if docs.auth != "none":
        codes += ["bad-token", "insufficient-scope"]
    if docs.auth == "required":
        codes += ["no-token"]
    statuses: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        statuses.setdefault(CATALOGUE[code][0], []).append(code)
    if docs.takes == "command":
        statuses[409].append(REFUSAL)
    answers = {}
    for status, codes in sorted(statuses.items()):
        name = f"{status}.{'.'.join(codes)}"
        if name not in spec.components.responses:
            spec.components.response(name, _problem(status, codes))
        answers[status] = {"$ref": f"#/components/responses/{name}"}
    return answers


def _problem(status: int, codes: list[str]) -> dict[str, Any]:
    code, title = codes[0], CATALOGUE[codes[0]][1]
    example = {
        "type": f"urn:oraclewheel:problem:{code}",
        "title": title,
        "status": status,
        "detail": title,
        "code": code,
    }
    response: dict[str, Any] = {
        "description": ", ".join(f"`{code}`" for code in codes) + ".",
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }
    if status in (429, 503):
        response["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    return response


# -- as text ---------------------------------------------------------------------------------------------------------


def as_yaml(made: Mapping[str, Any]) -> str:
    """The document as it is committed."""
    text: str = yaml.dump(made, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text


class _Dumper(yaml.SafeDumper):
    """Writes things out again instead of pointing back to them, and texts of several lines as such."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text.strip() else None)


_Dumper.add_representer(str, _text)
