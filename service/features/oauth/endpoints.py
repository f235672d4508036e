"""OAuth endpoints for programs: tokens, device codes, revocation, introspection, and the discovery documents."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, g, request

from service.core.accounts.scopes import APP_SCOPES
from service.core.http.context.app import current_context
from service.core.http.limits.rates import client_address, count_hourly
from service.core.http.problems import Problem
from service.core.http.responses import json_response
from service.features.oauth.clients import GRANT_TYPES, is_well_formed
from service.features.oauth.server import authorization_server

blueprint = Blueprint("oauth", __name__)

AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server"
PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"

DEVICES_HOUR = 600
"""Devices that can ask for a code from one address in an hour. Each code is stored for 20 minutes."""


@blueprint.before_request
def _count() -> Response | None:
    """No token is needed here, so requests count for their address."""
    g.limit = current_context().rate_limiter.take(client_address())
    if is_well_formed(request.form):
        return None
    return json_response(
        {"error": "invalid_request", "error_description": "A parameter is repeated or has forbidden characters."}, 400
    )


@blueprint.after_request
def _let_pages_read(response: Response) -> Response:
    """Apps can be pages of any origin. No endpoint here reads a cookie."""
    if "none" not in current_context().settings.cors_origins:
        response.headers["Access-Control-Allow-Origin"] = "*"
    return response


@blueprint.after_app_request
def _name_the_resource(response: Response) -> Response:
    """A response without a valid token leads to the discovery documents (RFC 9728)."""
    challenge = response.headers.get("WWW-Authenticate", "")
    if response.status_code == 401 and challenge.startswith("Bearer"):
        where = f"{current_context().base_url()}{PROTECTED_RESOURCE}"
        response.headers["WWW-Authenticate"] = f'{challenge}, resource_metadata="{where}"'
    return response


@blueprint.errorhandler(Problem)
def _problem(problem: Problem) -> Response:
    """OAuth clients read ``error`` and ``error_description``."""
    told = problem.document
    errors = {429: "slow_down", 503: "temporarily_unavailable"}
    body = {**told, "error": errors.get(told["status"], "invalid_request"), "error_description": told["detail"]}
    return json_response(body, told["status"], dict(problem.headers))


@blueprint.post("/oauth/token")
def token() -> Response:
    made: Response = authorization_server().create_token_response()
    return made


@blueprint.post("/oauth/device_authorization")
def device_authorization() -> Response:
    count_hourly(current_context().store.accounts, f"oauth-device:{client_address()}", DEVICES_HOUR)
    return _endpoint("device_authorization")


@blueprint.post("/oauth/revoke")
def revoke() -> Response:
    return _endpoint("revocation")


@blueprint.post("/oauth/introspect")
def introspect() -> Response:
    return _endpoint("introspection")


def _endpoint(name: str) -> Response:
    made: Response = authorization_server().create_endpoint_response(name)
    return made


@blueprint.get(AUTHORIZATION_SERVER)
def authorization_server_metadata() -> Response:
    base = current_context().base_url()
    return _document(
        {
            "issuer": base,
            "authorization_endpoint": f"{base}/oauth/authorize",
            "token_endpoint": f"{base}/oauth/token",
            "device_authorization_endpoint": f"{base}/oauth/device_authorization",
            "revocation_endpoint": f"{base}/oauth/revoke",
            "introspection_endpoint": f"{base}/oauth/introspect",
            "scopes_supported": list(APP_SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": list(GRANT_TYPES),
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "introspection_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        }
    )


@blueprint.get(PROTECTED_RESOURCE)
def protected_resource_metadata() -> Response:
    base = current_context().base_url()
    return _document(
        {
            "resource": base,
            "authorization_servers": [base],
            "scopes_supported": list(APP_SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "Oracle Wheel",
            "resource_documentation": f"{base}/docs",
        }
    )


def _document(made: dict[str, Any]) -> Response:
    # Without a configured URL, the document has the one of the request, which no cache may give to others.
    is_public = current_context().settings.public_url != ""
    return json_response(made, headers={"Cache-Control": "public, max-age=300" if is_public else "no-store"})
