"""Routes for the time zone and quiet hours of a player."""

from __future__ import annotations

from flask import Blueprint, Response

from service.core.http.access.auth import ACCOUNT, READ, required_caller
from service.core.http.context.app import current_context
from service.core.http.reference.routes import documented
from service.core.http.resources.email import open_or_close, preferences_told, preferred
from service.core.http.responses import json_response
from service.core.http.schemas.preferences import Preferences as Told
from service.core.http.schemas.preferences import PreferencesRequest
from service.core.http.schemas.requests import read_body
from service.notifications.email.mailbox import find_mailbox
from service.notifications.preferences import get_preferences, load_mailbox
from service.store.ports.accounts import Preferences

blueprint = Blueprint("preferences", __name__)


@blueprint.get("/v1/me/preferences")
@documented(
    "Get my preferences",
    operation="getPreferences",
    gives={200: Told},
    auth="required",
    answer="Your time zone and quiet hours.",
)
def preferences() -> Response:
    credential = required_caller(READ)
    return json_response(preferences_told(get_preferences(current_context().store, credential.player)))


@blueprint.put("/v1/me/preferences")
@documented(
    "Set my preferences",
    operation="setPreferences",
    text="Emails, feeds and webhooks that read as you show times in your `zone`. Nothing is sent during `quiet` "
    "hours; emails are sent when they end. Omitted fields are reset to their defaults.",
    takes=PreferencesRequest,
    gives={200: Told},
    problems=("insufficient-scope",),
    auth="required",
    answer="The new preferences.",
)
def set_preferences() -> Response:
    credential = required_caller(ACCOUNT)
    store = current_context().store
    wanted = preferred(read_body(PreferencesRequest), Preferences())
    store.accounts.prefer(credential.player, wanted)
    mailbox = find_mailbox(store, credential.player)
    if mailbox is not None:
        open_or_close(mailbox, load_mailbox(store, mailbox))  # the daily email has another time in another zone
    return json_response(preferences_told(wanted))
