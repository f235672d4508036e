"""Schemas of mutes and reports."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, PLAYER_ID, Reply, id_of, instant, seq_of
from service.core.http.schemas.replies.games import PlayerReference
from service.core.http.schemas.requests import Request
from service.features.moderation.reports import LONGEST_ANSWER, STATES


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


@example({"player": {"id": PLAYER_ID, "name": "Birk"}, "blocked_at": MADE_AT})
class BlockedPlayer(Reply):
    player = fields.Nested(PlayerReference, required=True)
    blocked_at = instant("When you blocked the player.")


@example({"blocks": [BlockedPlayer.example]})
class BlockedPlayers(Reply):
    blocks = fields.List(fields.Nested(BlockedPlayer), required=True)


@example(
    {
        "id": "0a1b2c3d4e5f",
        "game": GAME_ID,
        "seq": 41,
        "reason": "It is an insult.",
        "created_at": MADE_AT,
        "state": "answered",
        "answer": "The message was erased.",
        "changed_at": MADE_AT + 3_600_000,
    }
)
class Report(Reply):
    id = id_of()
    game = id_of()
    seq = seq_of("The commit of the message.")
    reason = StringField(500, required=True)
    created_at = instant("When you sent the report.")
    state = EnumField(
        *STATES,
        required=True,
        metadata={"description": "`assigned`: an operator works on it. `closed`: kept for 90 days."},
    )
    answer = StringField(
        LONGEST_ANSWER,
        required=True,
        allow_none=True,
        metadata={"description": "The operator's answer. Null if there is none."},
    )
    changed_at = instant("When an operator last changed it. Null if none has.", allow_none=True)


@example({"reports": [Report.example]})
class Reports(Reply):
    reports = fields.List(fields.Nested(Report), required=True)
