"""Schemas for email settings."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, EnumField, IntegerField, StringField, example
from service.core.http.schemas.preferences import QUIET, QuietHours
from service.core.http.schemas.replies.base import MADE_AT, Reply, id_of, instant
from service.core.http.schemas.requests import Request
from service.core.notifications.lobby_notices import LOBBY_NOTICES

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
    kind = EnumField("confirm", "asked", "half", "tenth", "over", "vacant", *LOBBY_NOTICES, "daily", required=True)
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
