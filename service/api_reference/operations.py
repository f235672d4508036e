"""Builds one operation of the OpenAPI document: parameters, responses and problems."""

from __future__ import annotations

import re
from typing import Any

import orjson

from service.core.http.problems import CATALOGUE, REFUSED
from service.core.http.reference.parameters import PATH
from service.core.http.reference.routes import STRICT, Body, RouteDocs, Shared
from service.core.http.replication import is_acknowledgment
from service.core.http.responses import GAME_HEAD
from service.core.http.schemas.commands import EXAMPLE
from service.core.http.schemas.replies import HistoryEntry

REFUSAL = "refusal"
"""Represents the codes of all refusals by the rules."""


def operation(docs: RouteDocs, tag: str, method: str, path: str) -> dict[str, Any]:
    """The operation of a method at a path."""
    told: dict[str, Any] = {"operationId": docs.operation, "tags": [tag], "summary": docs.summary}
    told["description"] = docs.text or f"{docs.summary.rstrip('.?')}."
    parameters = [PATH + name for name in re.findall(r"{(\w+)}", path)] + _read(docs)
    if parameters:
        told["parameters"] = parameters
    if docs.takes is not None:
        told["requestBody"] = _request(docs)
    told["responses"] = {**_answers(docs), "default": "CommandProblem" if docs.takes == "command" else "Problem"}
    told["x-problem-codes"] = problem_codes(docs, method, path)
    told["security"] = {
        "required": [{"token": [*docs.scopes]}],
        "optional": [{}, {"token": [*docs.scopes]}],
        "none": [{}],
    }[docs.auth]
    return told


def _read(docs: RouteDocs) -> list[Any]:
    """The parameters. Every request about a game accepts a kept head."""
    return [*docs.parameters, *([GAME_HEAD] if "unknown-game" in docs.problems else [])]


def _request(docs: RouteDocs) -> dict[str, Any]:
    if isinstance(docs.takes, str) or docs.takes is None:
        forms = ("Command", "CommandList")
        schema: Any = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in forms]}
        content = {"schema": schema, "example": dict(EXAMPLE)}
        return {"required": True, "content": {"application/json": content}}
    required = any(field.required for field in docs.takes().fields.values())
    content = {"schema": docs.takes, "example": dict(docs.takes.example)}
    return {"required": required, "content": {"application/json": content}}


def _answers(docs: RouteDocs) -> dict[int, Any]:
    answers: dict[int, Any] = {}
    best = min(docs.gives)
    for status, body in docs.gives.items():
        if status == 304:
            answers[status] = "NotModified"
            continue
        content = _content(docs, body)
        if status == 200:
            content |= {form: {"schema": {"type": "string"}, "example": _shown(docs, form)} for form in docs.also}
        answers[status] = {
            "description": docs.answer if status == best else _DESCRIBED[status],
            **({"headers": headers(*docs.headers)} if docs.headers else {}),
            **({"content": content} if content else {}),
        }
    return answers


def headers(*names: str) -> dict[str, Any]:
    """References to these headers, as the ``headers`` of a response."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _shown(docs: RouteDocs, form: str) -> str:
    """An example of a response in a media type other than JSON."""
    return _SHOWN_BY.get((docs.operation, form)) or _SHOWN[form]


def _content(docs: RouteDocs, body: Body) -> dict[str, Any]:
    match body:
        case None:
            return {}
        case "image/png" | "application/octet-stream":
            return {body: {"schema": {"type": "string", "format": "binary"}, "example": _BINARY[body]}}
        case str():
            return {body: {"schema": {"type": "string"}, "example": _shown(docs, body)}}
        case Shared():
            schema = {"$ref": f"#/components/schemas/{body.component}"}
            return {"application/json": {"schema": schema, "example": dict(body.example)}}
        case _:
            return {"application/json": {"schema": body, "example": dict(body.example)}}


_DESCRIBED = {
    201: "Created.",
    202: "Accepted, but not settled. Poll the URL in `Location`.",
    303: "The URL is in `Location`.",
    204: "The stream has ended.",
}
_BINARY = {"image/png": "\x89PNG…", "application/octet-stream": "…"}
_SHOWN = {
    "application/x-ndjson": '{"line":"setup","format":"oraclewheel/export",…}\n',
    "text/plain": "Week 1, day 2: Ash ends the turn.\n",
    "text/html": "<!doctype html>",
    "text/markdown": "# Nim\n",
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 574"><title>Battalia, week 2, day 6</title></svg>',
    "application/atom+xml": '<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:oraclewheel:feed:f4m2n4x6v0b1q3w5</id></feed>',
    "text/calendar": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
    "application/yaml": "openapi: 3.1.0\n",
}


_ENTRY = orjson.dumps(HistoryEntry.example).decode()
_SHOWN_BY = {
    ("listEvents", "application/x-ndjson"): f"{_ENTRY}\n",
    ("listEvents", "text/event-stream"): f"id: 42\ndata: {_ENTRY}\n\n",
    ("getMetrics", "text/plain"): "oraclewheel_store_up 1.0\n",
    ("listLogKeys", "text/plain"): "play.example.org/v1/log+c74f2a0d+AZk…\n",
    (
        "getCheckpoint",
        "text/plain",
    ): "play.example.org/v1/log\n42\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— …\n",
}
"""Examples of single operations."""


def problem_codes(docs: RouteDocs, method: str, path: str) -> list[str]:
    """The codes of all problems that the operation can answer with, by status."""
    codes = [*docs.problems, "bad-request", "too-many-requests", "internal", "not-ready"]
    if is_acknowledgment(method, path):
        codes += ["not-replicated"]
    if "unknown-game" in docs.problems:
        codes += ["log-diverged", "game-stalled", "quarantined", "needs-release", "archive-unavailable", "invalid"]
    if docs.takes is not None:
        codes += ["malformed-json", "too-slow", "too-large", "unsupported-encoding", "invalid"]
    if "Idempotency-Key" in docs.parameters:
        codes += ["too-slow", "too-large", "unsupported-encoding"]
    if docs.parameters or path.startswith(STRICT):
        codes += ["invalid"]
    if docs.auth != "none":
        codes += [
            "bad-token",
            "suspended",
            "insufficient-scope",
            *(["csrf"] if method.upper() not in ("GET", "HEAD") else []),
        ]
    if docs.auth == "required":
        codes += ["no-token"]
    if docs.takes == "command":
        codes += ["list-interrupted", REFUSAL]
    return sorted(dict.fromkeys(codes), key=status_of)


def status_of(code: str) -> int:
    """The status of a problem code in ``x-problem-codes``."""
    return REFUSED if code == REFUSAL else CATALOGUE[code][0]
