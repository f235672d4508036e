"""Schemas of chat messages."""

from __future__ import annotations

from marshmallow import fields

from service.core.history.chat import LENGTH_REQUIREMENT, MAX_LENGTH
from service.core.http.schemas.fields import (
    BooleanField,
    EnumField,
    IntegerField,
    ListField,
    StringField,
    UnionField,
    example,
)
from service.core.http.schemas.replies.base import HEAD, MADE_AT, Reply, instant, seq_of
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


@example(
    {
        "seq": 41,
        "at": MADE_AT,
        "seat": 1,
        "to": [],
        "digest": HEAD,
        "words": "Well played!",
        "gone": None,
        "text": "Ash: “Well played!”",
    }
)
class Message(Reply):
    seq = seq_of("The seq of the commit.")
    at = instant("When the message was sent.")
    seat = IntegerField(1, required=True, metadata={"description": "The seat that sent the message."})
    to = fields.List(
        IntegerField(1),
        required=True,
        metadata={"description": "The seats that received the message. Empty for everyone."},
    )
    digest = StringField(
        64, required=True, metadata={"description": "SHA-256 of 16 random bytes and the text, in hex."}
    )
    words = StringField(
        MAX_LENGTH,
        required=True,
        allow_none=True,
        metadata={"description": "The text of the message. Null if it is not available."},
    )
    gone = StringField(
        20,
        required=True,
        allow_none=True,
        metadata={
            "description": "Why the text is not available: `erased` by its author, or `muted` because you muted the seat. "
            "Null otherwise."
        },
    )
    text = StringField(4000, required=True, metadata={"description": "The message as a sentence."})


@example({"mode": "open", "messages": [Message.example], "after": 41, "more": False})
class MessagePage(Reply):
    mode = StringField(
        20,
        required=True,
        allow_none=True,
        metadata={
            "description": "Who can send messages: `open` (everyone) or `partners`. Null if no one can, or before the start."
        },
    )
    messages = fields.List(fields.Nested(Message), required=True)
    after = seq_of("The value of `?after=` for the next page.")
    more = BooleanField(required=True, metadata={"description": "True if there is a next page now."})
