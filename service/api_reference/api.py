"""Routes for the OpenAPI document and the API reference."""

from __future__ import annotations

from functools import cache

from flask import Blueprint, Response, current_app

from service.core.http.context.app import current_context
from service.core.http.reference.routes import documented

blueprint = Blueprint("api_reference", __name__)

YAML = "application/yaml"
TRIED = "/docs/try"
"""URL of the browser client's API reference with search and requests (`service/web/viewer.py`)."""


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
    from service.api_reference.document import as_yaml, document  # only processes that are asked need the library

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
    from service.api_reference.document import document
    from service.api_reference.page import page

    return page(document(current_app), more)
