"""Schemas of mutes and reports."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, Reply, id_of, seq_of
from service.core.http.schemas.requests import Request


@example({"seat": 2})
class MuteRequest(Request):
    seat = IntegerField(1, 99, required=True, metadata={"description": "The seat to mute."})


@example({"seq": 41, "reason": "It is an insult."})
class ReportRequest(Request):
    seq = IntegerField(1, required=True, metadata={"description": "The commit of the message."})
    reason = StringField(
        500, 1, required=True, metadata={"description": "Why you report the message, for the operator."}
    )


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
