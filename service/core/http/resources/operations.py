"""Routes for health checks, metrics and the API reference."""

from __future__ import annotations

from functools import cache

from flask import Blueprint, Response, current_app

from service.core.accounts.scopes import ADMIN
from service.core.http.access.auth import required_caller
from service.core.http.context.app import current_context
from service.core.http.problems import RETRY_SECONDS, Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response
from service.core.http.schemas import replies

blueprint = Blueprint("operations", __name__)

METRICS = "text/plain; version=0.0.4; charset=utf-8"
YAML = "application/yaml"
TRIED = "/docs/try"
"""URL of the browser client's API reference with search and requests (`service/web/viewer.py`)."""


@blueprint.get("/healthz")
@documented(
    "Check liveness",
    operation="getHealth",
    gives={200: replies.Health},
    auth="none",
    answer="The process is running.",
)
def healthz() -> Response:
    return json_response({"status": "ok"})


@blueprint.get("/readyz")
@documented(
    "Check readiness",
    operation="getReadiness",
    gives={200: replies.Readiness},
    problems=("not-ready",),
    auth="none",
    answer="The process can serve requests.",
)
def readyz() -> Response:
    health = current_context().health
    faults = health.faults()
    if faults:
        raise Problem("not-ready", " ".join(faults), {"Retry-After": str(RETRY_SECONDS)})
    return json_response({"status": "ready", "warnings": health.warnings()})


@blueprint.get("/metrics")
@documented(
    "Get Prometheus metrics",
    operation="getMetrics",
    scope=ADMIN,
    text="Metrics are collected at most once every few seconds. The operator can restrict them to tokens with "
    "the scope `admin`, or disable them (`ORACLEWHEEL_METRICS`).",
    gives={200: "text/plain"},
    problems=("not-found", "no-token"),
    answer="The metrics, in the Prometheus text format.",
)
def metrics() -> Response:
    context = current_context()
    match context.settings.metrics:
        case "off":
            raise Problem("not-found")
        case "token":
            required_caller()
    return Response(context.metrics.get(), content_type=METRICS, headers={"Cache-Control": "no-store"})


@blueprint.get("/openapi.yaml")
@documented(
    "Get the OpenAPI document",
    operation="getOpenApiDocument",
    gives={200: YAML},
    auth="none",
    answer="The OpenAPI document of this API.",
)
def openapi() -> Response:
    return Response(_yaml(), content_type=YAML, headers={"Cache-Control": "public, max-age=300"})


@cache
def _yaml() -> str:
    from service.core.http.reference.document import as_yaml, document

    return as_yaml(document(current_app))


@blueprint.get("/docs")
@documented(
    "Browse the API reference",
    operation="getApiReference",
    gives={200: "text/html"},
    auth="none",
    answer="The API reference as a web page.",
)
def docs() -> Response:
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    headers = {"Cache-Control": "public, max-age=300", "Content-Security-Policy": policy}
    more = "" if current_context().settings.web == "off" else TRIED
    return Response(_html(more), content_type="text/html; charset=utf-8", headers=headers)


@cache
def _html(more: str) -> str:
    from service.core.http.reference.document import document
    from service.core.http.reference.page import page

    return page(document(current_app), more)
