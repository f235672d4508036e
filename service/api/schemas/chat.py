"""Schemas of requests to send, mute and report chat messages."""

from __future__ import annotations

from service.api.schemas.fields import Either, Several, Text, Whole, Word, example
from service.api.schemas.requests import Request
from service.projections.history.chat import LONGEST, RIGHT

PARTNER = "partner"


@example({"text": "Well played!", "to": [2]})
class MessageRequest(Request):
    text = Text(
        2 * LONGEST,
        1,
        required=True,
        right=RIGHT,
        metadata={
            "description": f"At most {LONGEST} characters on 20 lines. Control characters and text direction marks are not "
            "allowed."
        },
    )
    to = Several(
        Either([Whole(1, 99), Word(PARTNER)]),
        99,
        1,
        metadata={
            "description": "The seats that receive the message. `partner` means the seats that win together with you. If "
            "omitted, everyone receives it."
        },
    )


@example({"seat": 2})
class MuteRequest(Request):
    seat = Whole(1, 99, required=True, metadata={"description": "The seat to mute."})


@example({"seq": 41, "reason": "It is an insult."})
class ReportRequest(Request):
    seq = Whole(1, required=True, metadata={"description": "The commit of the message."})
    reason = Text(500, 1, required=True, metadata={"description": "Why you report the message, for the operator."})
