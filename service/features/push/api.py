"""Routes for devices: browsers that receive push notifications when no page is open."""

from __future__ import annotations

import dataclasses
import secrets
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, GAMES_READ, NOTIFICATIONS_WRITE
from service.core.http.access.auth import required_caller
from service.core.http.access.outbox import queue_delivery
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import current_context
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.core.notifications.deliveries import attempt_document
from service.core.notifications.game_subscriptions import subscribe_all
from service.core.notifications.kinds import PUSH
from service.core.outbound.addresses import AllowedAddresses
from service.features.push import schemas as forms
from service.features.push.device import (
    DeviceTerms,
    InvalidDevice,
    delete_devices,
    device_id,
    has_valid_token,
    list_devices,
    parse_auth_secret,
    parse_endpoint,
    parse_public_key,
)
from service.features.push.encryption import encode_public_key
from service.features.push.push_message import TEST, build_test
from service.ops.keys.push_key import push_key
from service.store.ports.outbox import NO_GAME, Subscription

blueprint = Blueprint("devices", __name__)

ASKED, HOUR = 60, 3600
"""Tests that an account may request in so many seconds."""

SHOWN = 20
"""Number of notifications with a visible result."""


@blueprint.get("/v1/push")
@documented(
    "Get the Web Push key",
    operation="getPushKey",
    gives={200: forms.PushServerKey},
    auth="none",
    answer="The public key that a browser needs to subscribe.",
)
def push() -> Response:
    settings = current_context().settings
    return json_response(
        {"key": encode_public_key(push_key(settings.push_key_path)) if settings.push == "on" else None}
    )


@blueprint.get("/v1/me/devices")
@documented(
    "List my devices",
    operation="listDevices",
    scope=ACCOUNT_READ,
    text="When a token is revoked, its devices are deleted.",
    gives={200: forms.Devices},
    auth="required",
    answer="Your devices and the results of their most recent notifications, never their endpoints.",
)
def devices() -> Response:
    player = required_caller().player
    return json_response({"devices": [_told(each) for each in list_devices(current_context().store, player)]})


@blueprint.post("/v1/me/devices")
@documented(
    "Enable push notifications",
    operation="createDevice",
    scope=(NOTIFICATIONS_WRITE, GAMES_READ),
    text="Send the result of the browser's `PushManager.subscribe()` (Web Push, RFC 8030). Each notification is "
    "encrypted for the browser according to RFC 8291.\n\nYou are notified when you have a pending question, "
    "and when half and one tenth of its time is left. You are also notified when a game ends by another "
    "player's move, and when a bot plays for you. Notifications wait for the end of your quiet hours, and "
    "are dropped if you have already answered.\n\nSending the same endpoint again updates the device. If "
    "another player had enabled it, that player no longer receives notifications there: a browser serves "
    "one account. The device is deleted when its token is revoked, or when the push service no longer knows "
    "it.",
    takes=forms.DeviceRequest,
    gives={200: forms.Device, 201: forms.Device},
    problems=("push-disabled", "too-many-devices"),
    auth="required",
    answer="The device.",
    headers=("Location",),
)
def switch_on() -> Response:
    credential, context = required_caller(), current_context()
    body, store = read_body(forms.DeviceRequest), context.store
    if context.settings.push == "off":
        raise Problem("push-disabled")
    device = DeviceTerms(
        body["endpoint"],
        body["keys"]["p256dh"],
        body["keys"]["auth"],
        credential.id,
        body["label"],
        body["reminders"],
    )
    _check(device)
    known, made = _kept(device, credential.player)
    subscribe_all(store, made)
    where = {"Location": f"/v1/me/devices/{made.id}"}
    return json_response(_told(made), 200 if known else 201, where)


@blueprint.delete("/v1/me/devices/<device>")
@documented(
    "Disable push notifications",
    operation="deleteDevice",
    scope=NOTIFICATIONS_WRITE,
    gives={204: None},
    problems=("unknown-device",),
    auth="required",
    answer="The device is deleted.",
)
def switch_off(device: str) -> Response:
    delete_devices(current_context().store, [_own(device, required_caller().player)])
    return no_content()


@blueprint.post("/v1/me/devices/<device>/test")
@documented(
    "Send a test notification",
    operation="sendTestNotification",
    scope=NOTIFICATIONS_WRITE,
    text="Use it to check that notifications reach a device.",
    takes=EmptyRequest,
    gives={202: forms.QueuedNotification},
    problems=("push-disabled", "unknown-device"),
    auth="required",
    answer="The notification is queued and sent once. List your devices to see the result.",
)
def test(device: str) -> Response:
    known, context = _own(device, required_caller().player), current_context()
    read_body(EmptyRequest)
    if context.settings.push == "off":
        raise Problem("push-disabled")
    allowed, _, seconds = context.store.accounts.allow(f"push:{known.owner}", ASKED, ASKED / HOUR)
    if not allowed:
        raise limit_problem(seconds)
    word = secrets.token_hex(12)
    queue_delivery(NO_GAME, known.id, f"{TEST}:{word}")
    return json_response({"id": build_test(known.id, word).id}, 202)


def _kept(device: DeviceTerms, player: PlayerId) -> tuple[bool, Subscription]:
    """The device as it is stored from now on, and whether the player had it already."""
    context = current_context()
    store, most, id_ = context.store, context.settings.devices, device_id(device.endpoint)
    while True:
        known = store.subscriptions.get(id_)
        if known is not None and known.owner == player:
            changed = dataclasses.replace(known, active=True, terms=device.terms())
            if store.subscriptions.change(changed, known):
                return True, changed
            continue
        # A disabled device takes no slot, nor does this device itself, which another click may have enabled by now.
        others = [each for each in list_devices(store, player) if each.id != id_]
        made = Subscription(id_, PUSH, player, None, store.schedule.now(), device.terms())
        if not most or len(others) < most:
            # The browser belonged to another player before: that player's notifications must not reach it.
            delete_devices(store, [known] if known is not None else [])
            if store.subscriptions.add(made, most):
                return False, made
            if store.subscriptions.get(id_) is not None:
                continue  # another click was faster, from this player or another at the same browser
        raise limit_problem(
            LIMIT_RETRY_SECONDS, "too-many-devices", f"An account can have {most} devices. Disable one of them."
        )


def _check(device: DeviceTerms) -> None:
    try:
        parse_endpoint(device.endpoint, AllowedAddresses.from_settings(current_context().settings))
        parse_public_key(device.p256dh)
        parse_auth_secret(device.auth)
    except InvalidDevice as error:
        raise invalid_fields([(f"/{error.name}", str(error))]) from error


def _own(id_: str, player: PlayerId) -> Subscription:
    """A device of the player. Raises the problem of an unknown device, or of another player's."""
    store = current_context().store
    found = store.subscriptions.get(id_)
    if found is None or found.kind != PUSH or found.owner != player or not has_valid_token(store, found):
        raise Problem("unknown-device")
    return found


def _told(each: Subscription) -> dict[str, Any]:
    device = DeviceTerms.from_subscription(each)
    noted = current_context().store.subscriptions.noted(each.id)[:SHOWN]
    return {
        "id": each.id,
        "service": urlsplit(device.endpoint).hostname or "",
        "label": device.label,
        "reminders": device.reminders,
        "active": each.active,
        "disabled_reason": device.stopped or None,
        "created_at": each.made_at,
        "notifications": [attempt_document(one) for one in noted],
    }
