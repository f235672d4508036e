"""Schemas for devices that receive push notifications."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant
from service.core.http.schemas.requests import Request
from service.core.notifications.lobby_notices import LOBBY_NOTICES
from service.core.outbound.targets import MAX_URL_LENGTH

POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
KEYS = Request.from_dict(
    {
        "p256dh": StringField(
            100,
            1,
            required=True,
            metadata={"description": "The public key of the browser, base64url.", "example": POINT},
        ),
        "auth": StringField(
            40,
            1,
            required=True,
            metadata={
                "description": "The authentication secret of the browser, base64url.",
                "example": "BTBZMqHH6r4Tts7J_aSIgg",
            },
        ),
    },
    name="PushSubscriptionKeys",
)
_DEVICE = {
    "id": "d4f1c2a9be0d37788a1b2c3d4",
    "service": "push.example.net",
    "label": "my telephone",
    "reminders": True,
    "active": True,
    "disabled_reason": None,
    "created_at": MADE_AT,
    "notifications": [],
}
_NOTICE = {
    "id": "msg_4f1c2a9be0d37788a1b2c3d4",
    "kind": "asked",
    "game": GAME_ID,
    "at": MADE_AT,
    "state": "delivered",
    "reason": "ok",
    "status": 201,
    "next_attempt_at": None,
}


@example(
    {
        "endpoint": "https://push.example.net/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        "keys": {"p256dh": POINT, "auth": "BTBZMqHH6r4Tts7J_aSIgg"},
        "label": "my telephone",
    }
)
class DeviceRequest(Request):
    endpoint = StringField(
        MAX_URL_LENGTH,
        1,
        required=True,
        metadata={"description": "The endpoint of the browser's `PushSubscription`; must use https."},
    )
    keys = fields.Nested(KEYS, required=True, metadata={"description": "The keys of the browser's `PushSubscription`."})
    label = StringField(80, load_default=lambda: "", metadata={"description": "Name of the device."})
    reminders = BooleanField(
        load_default=lambda: True,
        metadata={"description": "Also notify when half and one tenth of the time is left."},
    )


@example({"key": POINT})
class PushServerKey(Reply):
    key = StringField(
        100,
        required=True,
        allow_none=True,
        metadata={
            "description": "The public key of this service (VAPID), base64url: the `applicationServerKey` of a "
            "subscription. Null if push notifications are disabled."
        },
    )


@example(_NOTICE)
class PushDelivery(Reply):
    id = id_of("The id of the notification, the same for each attempt.")
    kind = EnumField("asked", "half", "tenth", "over", "vacant", *LOBBY_NOTICES, "sign-in", "test", required=True)
    game = id_of("The game that the notification is about. Null for a test.", allow_none=True)
    at = instant("Time of the attempt.")
    state = EnumField(
        "delivered", "failed", "dead", required=True, metadata={"description": "`failed` is tried again."}
    )
    reason = StringField(40, required=True, metadata={"description": "Same values as for deliveries of webhooks."})
    status = IntegerField(
        required=True,
        allow_none=True,
        metadata={"description": "HTTP status of the push service. Null if there was no response."},
    )
    next_attempt_at = instant("Time of the next attempt. Null if no attempt follows.", allow_none=True)


@example({**_DEVICE, "notifications": [_NOTICE]})
class Device(Reply):
    id = id_of("`d` and the first 24 hex digits of the SHA-256 of the endpoint.")
    service = StringField(300, required=True, metadata={"description": "The host of the push service."})
    label = StringField(80, required=True)
    reminders = BooleanField(required=True)
    active = BooleanField(required=True)
    disabled_reason = EnumField(
        "failing",
        "refused",
        required=True,
        allow_none=True,
        metadata={
            "description": "Why the service disabled the device: all notifications failed for a day (`failing`), or the "
            "push service rejected this service (`refused`). Null otherwise. Enable the device again to "
            "resume."
        },
    )
    created_at = instant("When the device was first enabled.")
    notifications = fields.List(
        fields.Nested(PushDelivery),
        required=True,
        metadata={"description": "Results of the most recent notifications, newest first."},
    )


@example({"devices": [_DEVICE]})
class Devices(Reply):
    devices = fields.List(fields.Nested(Device), required=True, metadata={"description": "Oldest first."})


@example({"id": "msg_4f1c2a9be0d37788a1b2c3d4"})
class QueuedNotification(Reply):
    id = id_of("The id of the notification, as it will appear in the list of the device.")
