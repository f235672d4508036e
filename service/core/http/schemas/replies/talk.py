"""Schemas of chat messages, mutes and reports."""

from __future__ import annotations

from marshmallow import fields

from service.core.history.chat import MAX_LENGTH
from service.core.http.schemas.fields import BooleanField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, HEAD, MADE_AT, Reply, id_of, instant, seq_of


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


@example({"game": GAME_ID, "seat": 1, "muted": [2]})
class Mutes(Reply):
    game = id_of()
    seat = IntegerField(1, required=True)
    muted = fields.List(IntegerField(1), required=True, metadata={"description": "The seats that you have muted."})


@example({"id": "0a1b2c3d4e5f", "game": GAME_ID, "seq": 41, "reason": "It is an insult."})
class Report(Reply):
    id = id_of()
    game = id_of()
    seq = seq_of("The commit of the message.")
    reason = StringField(500, required=True)
