"""Builds one operation of the OpenAPI document: parameters, responses and problems."""

from __future__ import annotations

import re
from typing import Any

from apispec import APISpec

from service.api.http.acknowledging import acknowledges
from service.api.http.answers import HEAD
from service.api.http.problems import CATALOGUE, DETAILS
from service.api.reference.parameters import ALWAYS
from service.api.reference.routes import STRICT, Body, RouteDocs

PROBLEM = "application/problem+json"
REFUSAL = "refusal"
"""Represents the codes of all refusals by the rules."""


def operation(spec: APISpec, docs: RouteDocs, method: str, path: str) -> dict[str, Any]:
    """The operation of a method at a path. Adds the responses that it uses to the components."""
    told: dict[str, Any] = {"operationId": docs.operation, "tags": [docs.tag], "summary": docs.summary}
    told["description"] = docs.text or f"{docs.summary.rstrip('.?')}."
    parameters = [_in_path(name) for name in re.findall(r"{(\w+)}", path)] + _read(docs)
    if parameters:
        told["parameters"] = parameters
    if docs.takes is not None:
        told["requestBody"] = _request(docs)
    told["responses"] = {**_answers(docs), **_problems(spec, docs, acknowledges(method, path), path)}
    told["security"] = {
        "required": [{"token": []}],
        "optional": [{}, {"token": []}],
        "none": [{}],
    }[docs.auth]
    return told


def _read(docs: RouteDocs) -> list[Any]:
    """The parameters. Every request about a game accepts a kept head."""
    return [*docs.parameters, *([HEAD] if "unknown-game" in docs.problems else [])]


_IN_PATH: dict[str, dict[str, Any]] = {
    "game": {"schema": {"type": "string"}, "description": "The id of the game."},
    "command": {"schema": {"type": "string"}, "description": "The id of the command."},
    "token": {"schema": {"type": "string"}, "description": "The id of the token, not the token itself."},
    "vacation": {"schema": {"type": "string"}, "description": "The id of the vacation."},
    "feed": {"schema": {"type": "string"}, "description": "The id of the feed, not its URL."},
    "secret": {"schema": {"type": "string"}, "description": "The secret part of the URL, as it was shown once."},
    "picture_name": {"schema": {"type": "string"}, "description": "The name of the picture in the guide."},
    "name": {"schema": {"type": "string"}, "description": "The name of the ruleset or scenario."},
    "key": {"schema": {"type": "string"}, "description": "The key of the kind of game, such as `battalia`."},
    "seat": {"schema": {"type": "integer", "minimum": 1}, "description": "The number of the seat."},
    "webhook": {"schema": {"type": "string"}, "description": "The id of the webhook."},
    "tile": {
        "schema": {"type": "string"},
        "description": "The level (or `entries`) and the index, in the path format of C2SP tlog-tiles; do not encode the "
        "slashes. The pattern is `(entries|[0-9]{1,2})/(x[0-9]{3}/)*[0-9]{3}(\\.p/[0-9]{1,3})?`.",
    },
    "delivery": {"schema": {"type": "string"}, "description": "The id of the event, which begins with `msg_`."},
}


def _in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, **_IN_PATH.get(name, {"schema": {"type": "string"}})}


def _request(docs: RouteDocs) -> dict[str, Any]:
    if isinstance(docs.takes, str) or docs.takes is None:
        forms = ("Command", "CommandList")
        schema: Any = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in forms]}
        content = {"schema": schema, "example": {"type": "resign"}}
        return {"required": True, "content": {"application/json": content}}
    required = any(field.required for field in docs.takes().fields.values())
    content = {"schema": docs.takes, "example": dict(docs.takes.example)}
    return {"required": required, "content": {"application/json": content}}


def _answers(docs: RouteDocs) -> dict[int, Any]:
    answers = {}
    best = min(docs.gives)
    for status, body in docs.gives.items():
        content = _content(docs, body)
        if status == 200:
            content |= {form: {"schema": {"type": "string"}, "example": _shown(docs, form)} for form in docs.also}
        answers[status] = {
            "description": docs.answer if status == best else _DESCRIBED[status],
            "headers": _headers(*(name for name in docs.headers if status != 304 or name in ("ETag", HEAD))),
            **({"content": content} if content else {}),
        }
    return answers


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, *ALWAYS)}


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
        case tuple():
            return {"application/json": {"schema": {"oneOf": list(body)}, "example": dict(body[0].example)}}
        case _:
            return {"application/json": {"schema": body, "example": dict(body.example)}}


_DESCRIBED = {
    201: "Created.",
    202: "Accepted, but not settled. Poll the URL in `Location`.",
    303: "The URL is in `Location`.",
    204: "The stream has ended.",
    304: "Not modified since the ETag.",
}
_BINARY = {"image/png": "\x89PNG…", "application/octet-stream": "…"}
_SHOWN = {
    "application/x-ndjson": '{"type":"…"}\n',
    "text/event-stream": 'id: 42\ndata: {"seq":42,"lines":[]}\n\n',
    "text/plain": "Week 1, day 2: Ash ends the turn.\n",
    "text/html": "<!doctype html>",
    "text/markdown": "# Nim\n",
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 574"><title>Battalia, week 2, day 6</title></svg>',
    "application/atom+xml": '<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:oraclewheel:feed:f4m2n4x6v0b1q3w5</id></feed>',
    "text/calendar": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
    "application/yaml": "openapi: 3.1.0\n",
}


_SHOWN_BY = {
    ("getMetrics", "text/plain"): "oraclewheel_store_up 1.0\n",
    ("listLogKeys", "text/plain"): "play.example.org/v1/log+c74f2a0d+AZk…\n",
    (
        "getCheckpoint",
        "text/plain",
    ): "play.example.org/v1/log\n42\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— …\n",
}
"""Examples of single operations."""


def _problems(spec: APISpec, docs: RouteDocs, acknowledged: bool, path: str) -> dict[int, Any]:
    """A response for each status, with its possible codes."""
    codes = [*docs.problems, "bad-request", "too-many-requests", "internal", "not-ready"]
    if acknowledged:
        codes += ["not-replicated"]
    if "unknown-game" in docs.problems:
        codes += ["log-diverged", "quarantined", "needs-release", "archive-unavailable", "invalid"]
    if docs.takes is not None:
        codes += ["malformed-json", "too-large", "unsupported-encoding", "invalid"]
    if "Idempotency-Key" in docs.parameters:
        codes += ["too-large", "unsupported-encoding"]
    if docs.parameters or path.startswith(STRICT):
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
        schema = "CommandProblem" if docs.takes == "command" and status in (409, 412) else "Problem"
        if name not in spec.components.responses:
            spec.components.response(name, _problem(status, codes, schema))
        answers[status] = {"$ref": f"#/components/responses/{name}"}
    return answers


_HEADERS_OF = {
    401: ("WWW-Authenticate",),
    403: ("WWW-Authenticate",),
    409: (HEAD,),
    412: ("ETag",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}


def _problem(status: int, codes: list[str], schema: str) -> dict[str, Any]:
    code, title = codes[0], CATALOGUE[codes[0]][1]
    example = {
        "type": f"urn:oraclewheel:problem:{code}",
        "title": title,
        "status": status,
        "detail": DETAILS.get(code, title),
        "code": code,
    }
    return {
        "description": ", ".join(f"`{code}`" for code in codes) + ".",
        "headers": _headers(*_HEADERS_OF.get(status, ())),
        "content": {PROBLEM: {"schema": {"$ref": f"#/components/schemas/{schema}"}, "example": example}},
    }
