"""Schemas for email settings and for devices that receive push notifications."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, StringField, example
from service.core.http.schemas.preferences import QUIET, QuietHours
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant
from service.core.http.schemas.requests import Request
from service.notifications.webhooks.targets import MAX_URL_LENGTH as LONGEST_URL

LONGEST = 254
"""Maximum characters of an address (RFC 5321)."""

ADDRESS = r"^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,63}){0,31}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"
AN_ADDRESS = "Must be an email address such as ada@example.org, in ASCII (international domain names as xn--…)."
EXAMPLE = {
    "address": "ada@example.org",
    "when": "later",
    "minutes": 60,
    "zone": "Europe/Sofia",
    "quiet": dict(QUIET),
    "reminders": True,
}


@example(EXAMPLE)
class EmailRequest(Request):
    address = StringField(LONGEST, 3, ADDRESS, AN_ADDRESS, required=True)
    when = EnumField("asked", "later", "daily", "off", load_default=lambda: "asked")
    minutes = IntegerField(1, 7 * 24 * 60, metadata={"description": "For `later`: delay in minutes. Default 60."})
    hour = IntegerField(0, 23, metadata={"description": "For `daily`: hour of the day in your time zone. Default 8."})
    zone = StringField(
        64,
        1,
        metadata={
            "description": "Your time zone, as in `/v1/me/preferences`. Unchanged if omitted.",
            "example": "Europe/Sofia",
        },
    )
    quiet = fields.Nested(
        QuietHours,
        metadata={
            "description": "Hours of the day in which no email is sent, as in `/v1/me/preferences`. Unchanged if omitted."
        },
    )
    reminders = BooleanField(load_default=lambda: True)


@example({"at": MADE_AT, "kind": "asked", "game": None, "state": "delivered", "reason": ""})
class EmailDelivery(Reply):
    at = instant("Time of the attempt.")
    kind = EnumField("confirm", "asked", "half", "tenth", "over", "vacant", "full", "daily", required=True)
    game = id_of("The game that the email is about. Null if it is about none.", allow_none=True)
    state = EnumField(
        "delivered", "failed", "dead", required=True, metadata={"description": "`failed` is tried again."}
    )
    reason = StringField(200, required=True)


@example({**EXAMPLE, "verified": True, "hour": None, "disabled_reason": None, "emails": [EmailDelivery.example]})
class Email(Reply):
    address = StringField(LONGEST, required=True)
    verified = BooleanField(required=True, metadata={"description": "True if the address is confirmed."})
    when = EnumField("asked", "later", "daily", "off", required=True)
    minutes = IntegerField(1, required=True, allow_none=True)
    hour = IntegerField(0, 23, required=True, allow_none=True)
    zone = StringField(64, required=True)
    quiet = fields.Nested(QuietHours, required=True, allow_none=True)
    reminders = BooleanField(required=True)
    disabled_reason = EnumField(
        "bounced",
        "unsubscribed",
        required=True,
        allow_none=True,
        metadata={
            "description": "Why no email is sent: three emails in a row bounced because the address is wrong (`bounced`), or the "
            "reader unsubscribed (`unsubscribed`). Set the address again to resume."
        },
    )
    emails = fields.List(
        fields.Nested(EmailDelivery),
        required=True,
        metadata={"description": "Results of the most recent emails, newest first."},
    )


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
        LONGEST_URL,
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
    kind = EnumField("asked", "half", "tenth", "over", "vacant", "full", "test", required=True)
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
