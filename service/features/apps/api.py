"""Routes for registered apps, and for apps that are connected to an account."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from service.core.accounts import apps as stored
from service.core.accounts.apps import AppConnection, RegisteredApp
from service.core.accounts.redirects import A_REDIRECT_URI, is_redirect_uri
from service.core.accounts.scopes import ACCOUNT_WRITE
from service.core.http.access.auth import required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id
from service.core.http.context.app import current_context
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.resources.players import valid_name
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.features.apps import schemas

blueprint = Blueprint("apps", __name__)

MOST_APPS = 20
"""Apps that an account can register."""


@blueprint.get("/v1/apps")
@documented(
    "List my registered apps",
    operation="listApps",
    scope=ACCOUNT_WRITE,
    gives={200: schemas.Apps},
    auth="required",
    answer="The apps that you have registered, oldest first.",
)
def apps() -> Response:
    credential = required_caller()
    known = stored.list_apps(current_context().store, credential.player)
    return json_response({"apps": [_registered(each) for each in known]})


@blueprint.post("/v1/apps")
@documented(
    "Register an app",
    operation="createApp",
    scope=ACCOUNT_WRITE,
    text="Registers a public OAuth client, which has no secret. An app that publishes a client ID metadata document needs no "
    "registration: its `client_id` is the URL of the document.",
    takes=schemas.AppRequest,
    gives={201: schemas.App},
    problems=("key-reused", "in-progress", "name-reserved", "too-many-apps"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The app.",
    headers=("Location",),
)
@idempotent
def make_app() -> Response:
    credential, store, body = required_caller(), current_context().store, read_body(schemas.AppRequest)
    name, uris = valid_name(body), body["redirect_uris"]
    wrong = [(f"/redirect_uris/{i}", A_REDIRECT_URI) for i, uri in enumerate(uris) if not is_redirect_uri(uri)]
    if wrong:
        raise invalid_fields(wrong)
    if len(stored.list_apps(store, credential.player)) >= MOST_APPS:
        raise Problem("too-many-apps", f"An account can register {MOST_APPS} apps. Delete one of them.")
    made = RegisteredApp(new_id("a"), credential.player, name, tuple(dict.fromkeys(uris)), store.schedule.now())
    stored.store_app(store, made)
    return json_response(_registered(made), 201, {"Location": f"/v1/apps/{made.id}"})


@blueprint.delete("/v1/apps/<app>")
@documented(
    "Delete a registered app",
    operation="deleteApp",
    scope=ACCOUNT_WRITE,
    text="The app can start no more connections and refresh no tokens. Access tokens expire within an hour.",
    gives={204: None},
    problems=("unknown-app",),
    auth="required",
    answer="The app is deleted.",
)
def remove_app(app: str) -> Response:
    if not stored.remove_app(current_context().store, required_caller().player, app):
        raise Problem("unknown-app")
    return no_content()


@blueprint.get("/v1/me/apps")
@documented(
    "List connected apps",
    operation="listConnectedApps",
    scope=ACCOUNT_WRITE,
    gives={200: schemas.ConnectedApps},
    auth="required",
    answer="The apps that can act for you, with what you have allowed, oldest first.",
)
def connected() -> Response:
    credential, store = required_caller(), current_context().store
    used = store.accounts.last_uses(credential.player)
    known = stored.list_connections(store, credential.player)
    return json_response({"apps": [_connected(each, used.get(each.id)) for each in known]})


@blueprint.delete("/v1/me/apps/<connection>")
@documented(
    "Disconnect an app",
    operation="disconnectApp",
    scope=ACCOUNT_WRITE,
    text="Revokes all tokens of the connection at once.",
    gives={204: None},
    problems=("unknown-app",),
    auth="required",
    answer="The app can no longer act for you.",
)
def disconnect(connection: str) -> Response:
    context, player_id = current_context(), required_caller().player
    if not stored.end_connection(context.store, player_id, connection):
        raise Problem("unknown-app")
    context.tokens.forget(connection)
    return no_content()


def _registered(app: RegisteredApp) -> dict[str, Any]:
    return {"id": app.id, "name": app.name, "redirect_uris": list(app.redirect_uris), "created_at": app.made_at}


def _connected(each: AppConnection, used: int | None) -> dict[str, Any]:
    return {
        "id": each.id,
        "name": each.name,
        "client_id": each.client,
        "scopes": list(each.scopes),
        "game": each.game,
        "created_at": each.made_at,
        "expires_at": each.ends_at,
        "last_used_at": used,
    }
