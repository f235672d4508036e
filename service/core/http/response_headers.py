"""Hooks of every request and response: reject unknown parameters, add headers for limits and CORS, count metrics."""

from __future__ import annotations

import time
from typing import Any

from flask import Flask, Response, g, request
from werkzeug.routing import Rule

from domain.kernel.terms import GameId
from service.core import tracing
from service.core.http.access.sessions import set_cookies
from service.core.http.limits.rates import client_address
from service.core.http.problems import Problem, invalid_parameter
from service.core.http.reference.parameters import queried
from service.core.http.reference.routes import PICTURES, ROUTES, STRICT
from service.core.http.request_ids import request_id
from service.core.tracing import Span
from service.ops.settings import Settings

METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
KNOWN = frozenset(METHODS.split(", "))
"""Any other method is counted as ``other`` in the metrics, so that clients cannot create new labels."""
ALLOWED = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Prefer, Game-Head, X-Request-Id"
ALLOWED_TO_ALL = "If-None-Match, Last-Event-ID, Prefer, Game-Head, X-Request-Id"
EXPOSED = (
    "ETag, Link, Location, Content-Location, Retry-After, Preference-Applied, RateLimit, RateLimit-Policy, Game-Head, X-Request-Id, "
    "Deprecation, Sunset"
)


def install(app: Flask, settings: Settings) -> None:
    """Register the hooks with the app."""
    context = app.extensions["oraclewheel"]
    origins = frozenset(settings.cors_origins)
    policy = context.rate_limiter.policy

    @app.url_value_preprocessor
    def name_the_game(_endpoint: str | None, values: dict[str, Any] | None) -> None:
        """Maps ``game`` in a URL to the views' parameter."""
        if values is not None and "game" in values:
            values["game_id"] = GameId(values.pop("game"))

    @app.before_request
    def arrive() -> None:
        g.arrived = time.perf_counter()
        g.limit = None
        if request.environ["PATH_INFO"].startswith("//"):
            # Werkzeug ignores further slashes, but a proxy that blocks a path does not.
            request.url_rule = None
            raise Problem("not-found")
        _only_known_parameters()

    @app.after_request
    def leave(response: Response) -> Response:
        if "work" in g:
            context.rate_limiter.charge(g.get("payer") or client_address(), g.work)
        response.headers["X-Content-Type-Options"] = "nosniff"
        if response.response == []:  # an empty response is not a page
            response.headers.pop("Content-Type", None)
        if g.get("limit") is not None:
            response.headers["RateLimit"] = g.limit
            response.headers["RateLimit-Policy"] = policy
        rule = request.url_rule
        if origins:
            _cors(response, origins)
        elif rule is not None and rule.rule.startswith("/v1"):
            _public_reads(response)
        seconds = time.perf_counter() - g.arrived
        context.request_metrics.observe(
            request.method if request.method in KNOWN else "other",
            "" if rule is None else rule.rule,
            response.status_code,
            seconds,
        )
        set_cookies(response)
        if tracing.is_on():
            _record_span(request.method if request.method in KNOWN else "other", rule, response.status_code, seconds)
        return response


def _record_span(method: str, rule: Rule | None, status: int, seconds: float) -> None:
    route = "" if rule is None else rule.rule
    about = {"http.request.method": method, "http.route": route, "http.response.status_code": status}
    tracing.record(Span(f"{method} {route}".strip(), request_id(), "server", seconds, about, failed=status >= 500))


def _only_known_parameters() -> None:
    """Raises the problem of a query parameter that the route does not read, as for an unknown field in a body.

    A parameter given twice is a problem too, because it is ambiguous. Pictures ignore unknown parameters, because pages
    add some, such as ``?t=1``, to load a picture again. Pages and probes outside of ``/v1``, except feeds, read no
    parameters; machines request them with parameters of their own.
    """
    rule = request.url_rule
    if rule is None or not request.query_string or request.method == "OPTIONS":
        return
    if not rule.rule.startswith(STRICT):
        return
    docs = ROUTES[rule.endpoint]
    known, strict = queried(docs.parameters), docs.gives.get(200) not in PICTURES
    for name in request.args:
        if name not in known:
            if not strict:
                continue
            raise invalid_parameter(name[:80], f"Unknown parameter. Known parameters: {', '.join(known) or 'none'}.")
        if len(request.args.getlist(name)) > 1:
            raise invalid_parameter(name, "The parameter is given more than once.")


def _public_reads(response: Response) -> None:
    """Let pages of any origin read public data. `Authorization` is not allowed, and no browser sends a token by itself."""
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        return
    response.headers["Access-Control-Allow-Origin"] = "*"
    if "Origin" in request.headers:
        response.headers["Access-Control-Expose-Headers"] = EXPOSED
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = "GET, HEAD"
            response.headers["Access-Control-Allow-Headers"] = ALLOWED_TO_ALL
            response.headers["Access-Control-Max-Age"] = "600"


def _cors(response: Response, origins: frozenset[str]) -> None:
    response.vary.add("Origin")
    origin = request.headers.get("Origin")
    if origin is None or (origin not in origins and "*" not in origins):
        return
    response.headers["Access-Control-Allow-Origin"] = "*" if "*" in origins else origin
    response.headers["Access-Control-Expose-Headers"] = EXPOSED
    if request.method == "OPTIONS":
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = ALLOWED
        response.headers["Access-Control-Max-Age"] = "600"
