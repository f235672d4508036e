"""Schemas of requests to send, mute and report chat messages."""

from __future__ import annotations

from service.core.history.chat import LENGTH_REQUIREMENT, MAX_LENGTH
from service.core.http.schemas.fields import EnumField, IntegerField, ListField, StringField, UnionField, example
from service.core.http.schemas.requests import Request

PARTNER = "partner"


@example({"text": "Well played!", "to": [2]})
class MessageRequest(Request):
    text = StringField(
        2 * MAX_LENGTH,
        1,
        required=True,
        error=LENGTH_REQUIREMENT,
        metadata={
            "description": f"At most {MAX_LENGTH} characters on 20 lines. Control characters and text direction marks are not "
            "allowed."
        },
    )
    to = ListField(
        UnionField([IntegerField(1, 99), EnumField(PARTNER)]),
        99,
        1,
        metadata={
            "description": "The seats that receive the message. `partner` means the seats that win together with you. If "
            "omitted, everyone receives it."
        },
    )


@example({"seat": 2})
class MuteRequest(Request):
    seat = IntegerField(1, 99, required=True, metadata={"description": "The seat to mute."})


@example({"seq": 41, "reason": "It is an insult."})
class ReportRequest(Request):
    seq = IntegerField(1, required=True, metadata={"description": "The commit of the message."})
    reason = StringField(
        500, 1, required=True, metadata={"description": "Why you report the message, for the operator."}
    )
