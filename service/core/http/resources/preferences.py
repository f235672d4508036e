"""Routes for the time zone and quiet hours of a player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.core.feature import load
from service.core.http.access.auth import required_caller
from service.core.http.context.app import current_context
from service.core.http.problems import invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response
from service.core.http.schemas.preferences import PreferencesReply as Told
from service.core.http.schemas.preferences import PreferencesRequest
from service.core.http.schemas.requests import read_body
from service.core.notifications.preferences import get_preferences
from service.core.pace.calendar import time_of_day
from service.core.pace.zones import zone_of
from service.store.ports.accounts import Preferences

blueprint = Blueprint("preferences", __name__)


@blueprint.get("/v1/me/preferences")
@documented(
    "Get my preferences",
    operation="getPreferences",
    scope=ACCOUNT_READ,
    gives={200: Told},
    auth="required",
    answer="Your time zone and quiet hours.",
)
def preferences() -> Response:
    credential = required_caller()
    return json_response(preferences_document(get_preferences(current_context().store, credential.player)))


@blueprint.put("/v1/me/preferences")
@documented(
    "Set my preferences",
    operation="setPreferences",
    scope=ACCOUNT_WRITE,
    text="Emails, feeds and webhooks that read as you show times in your `zone`. Nothing is sent during `quiet` "
    "hours; emails are sent when they end. Omitted fields are reset to their defaults.",
    takes=PreferencesRequest,
    gives={200: Told},
    problems=("insufficient-scope",),
    auth="required",
    answer="The new preferences.",
)
def set_preferences() -> Response:
    credential = required_caller()
    context = current_context()
    wanted = parse_preferences(read_body(PreferencesRequest), Preferences())
    context.store.accounts.prefer(credential.player, wanted)
    for feature in context.features:
        if feature.preferences_changed:
            load(feature.preferences_changed)(context.store, credential.player)
    return json_response(preferences_document(wanted))


def parse_preferences(body: Mapping[str, Any], now: Preferences) -> Preferences:
    """Zone and quiet hours from a body, unchanged if omitted. Raises the problem of invalid values."""
    zone, quiet = body.get("zone", now.zone), body.get("quiet", None)
    try:
        zone_of(zone)
    except ValueError as error:
        raise invalid_fields([("/zone", str(error))]) from error
    for name, text in (quiet or {}).items():
        try:
            time_of_day(text)
        except ValueError as error:
            raise invalid_fields([(f"/quiet/{name}", str(error))]) from error
    hours = (quiet["from"], quiet["to"]) if quiet else None
    return Preferences(zone, hours if "quiet" in body else now.quiet)


def preferences_document(preferences: Preferences) -> dict[str, Any]:
    """Zone and quiet hours for a response."""
    quiet = preferences.quiet
    return {"zone": preferences.zone, "quiet": None if quiet is None else {"from": quiet[0], "to": quiet[1]}}
