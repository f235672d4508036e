"""Routes for health checks and metrics."""

from __future__ import annotations

from flask import Blueprint, Response

from service.core.accounts.scopes import ADMIN
from service.core.http.access.auth import required_caller
from service.core.http.context.app import current_context
from service.core.http.problems import RETRY_SECONDS, Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response
from service.core.http.schemas import replies

blueprint = Blueprint("operations", __name__)

METRICS = "text/plain; version=0.0.4; charset=utf-8"


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
