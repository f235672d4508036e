"""Schemas of vacant seats and sitters."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, PLAYER_ID, Reply, id_of, instant
from service.core.http.schemas.replies.games import PlayerReference
from service.core.http.schemas.requests import Request

LATEST = 2**53 - 1
"""The last instant that every client can represent."""


@example({})
class TakeVacantSeatRequest(Request):
    invitation = StringField(200, metadata={"description": "Required unless the game is public."})
    player = StringField(
        64, 1, metadata={"description": "For the creator: the player who requested the seat and should get it."}
    )


@example({"player": "p5m2n8x1c4v7b9q0", "until": 1894060800000})
class SitterRequest(Request):
    player = StringField(64, 1, required=True, metadata={"description": "The account id of the sitter."})
    begins = IntegerField(
        0,
        LATEST,
        data_key="from",
        metadata={"description": "Start, in milliseconds of Unix time. Default: now."},
    )
    until = IntegerField(
        0,
        LATEST,
        required=True,
        metadata={"description": "End, in milliseconds of Unix time, at most one year from now."},
    )


@example({"game": GAME_ID, "seat": 2, "status": "taken"})
class SeatRequestStatus(Reply):
    game = id_of()
    seat = IntegerField(1, required=True)
    status = EnumField(
        "taken",
        "pending",
        "asked",
        "refused",
        "none",
        required=True,
        metadata={
            "description": "`taken`: the seat is yours. `pending`: not settled yet. `asked`: the creator or a vote of the "
            "players must decide. `refused`: the players rejected the request. `none`: you have no open "
            "request."
        },
    )


@example({"game": GAME_ID, "seat": 2, "player": PLAYER_ID, "from": MADE_AT, "until": MADE_AT + 604_800_000})
class SitterAssignment(Reply):
    game = id_of()
    seat = IntegerField(1, required=True)
    player = id_of()
    begins = instant("When the sitter starts.", data_key="from")
    until = instant("When the sitter stops.")


@example({"player": {"id": PLAYER_ID, "name": "Ash"}, "requested_at": MADE_AT, "agreed_at": None})
class SitterAgreement(Reply):
    player = fields.Nested(
        PlayerReference, required=True, metadata={"description": "The player whose seats you would play."}
    )
    requested_at = instant("When the player asked you.")
    agreed_at = instant("When you agreed. Null if you have not answered.", allow_none=True)


@example({"agreements": [SitterAgreement.example]})
class SitterAgreements(Reply):
    agreements = fields.List(fields.Nested(SitterAgreement), required=True)
