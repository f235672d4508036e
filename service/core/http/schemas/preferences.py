"""Schemas of a player's preferences for all notifications."""

from __future__ import annotations

from types import MappingProxyType

from marshmallow import fields

from service.core.http.schemas.fields import StringField, example
from service.core.http.schemas.replies.base import Reply
from service.core.http.schemas.requests import Request
from service.core.pace.calendar import A_TIME

CLOCK = "^([01][0-9]|2[0-3]):[0-5][0-9]$"
QUIET = MappingProxyType({"from": "22:00", "to": "08:00"})
ZONE = MappingProxyType(
    {"description": "Your time zone, a name of the IANA time zone database.", "example": "Europe/Sofia"}
)


def _time(about: str) -> StringField:
    return StringField(5, 5, CLOCK, A_TIME, required=True, metadata={"description": about, "example": "22:00"})


QuietHours = Request.from_dict(
    {"from": _time("Local time at which quiet hours begin."), "to": _time("Local time at which quiet hours end.")},
    name="QuietHours",
)


@example({"zone": "Europe/Sofia", "quiet": dict(QUIET)})
class PreferencesRequest(Request):
    zone = StringField(64, 1, load_default=lambda: "UTC", metadata=dict(ZONE))
    quiet = fields.Nested(
        QuietHours,
        allow_none=True,
        load_default=lambda: None,
        metadata={"description": "Hours of the day in which nothing is sent. Null for none."},
    )


@example(PreferencesRequest.example)
class PreferencesReply(Reply):
    zone = StringField(64, required=True, metadata=dict(ZONE))
    quiet = fields.Nested(QuietHours, required=True, allow_none=True)
